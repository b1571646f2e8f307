"""``python -m bg_env.cli`` is ``bg-env``."""

from bg_env.cli import main

main()
