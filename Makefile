.PHONY: install format check test heavy bench clean

install:
	pip install -c constraints.txt -e ".[dev,plot]"
format:
	ruff check --fix . && ruff format .
check:
	ruff check . && ruff format --check . && mypy
test:
	pytest
heavy:
	pytest -m heavy
bench:
	taskset -c 0 bg-env bench
clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
