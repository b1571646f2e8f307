"""Every error this package raises on purpose.

::

    BgEnvError
    ├── InvalidPositionError   (ValueError)   checkers that cannot stand so
    ├── InvalidNotationError   (ValueError)   text that does not say a position or play
    ├── InvalidOptionError     (ValueError)   a rule or option with an impossible value
    ├── IllegalActionError     (ValueError)   a decision the rules do not allow now
    │   └── IllegalPlayError                  a whole play the rules do not allow
    ├── UnknownNameError       (LookupError)  an agent, encoder, preset … nobody has
    ├── EngineError            (RuntimeError) an engine of others that does not answer
    ├── bg_env.testing.ConformanceError (AssertionError)  a check that failed
    └── MissingExtraError      (ImportError)  a package of an optional extra

Each message is one sentence that names the offending value and what to do. An argument
stands in it as ``Argument trials``, ``Option beavers``, ``luck='td'`` or, at the
beginning, as ``home is``: by that the command line puts its own options in their place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BgEnvError(Exception):
    """Base of all errors raised on purpose by ``bg_env`` and ``bg_agents``."""


class InvalidPositionError(BgEnvError, ValueError):
    """A board that cannot occur: wrong number of checkers, both sides on a point."""


class InvalidNotationError(BgEnvError, ValueError):
    """Text that is not a valid position id, match id, XGID or play."""


class InvalidOptionError(BgEnvError, ValueError):
    """A rule option or argument with a value it cannot have."""


class IllegalActionError(BgEnvError, ValueError):
    """A decision that is not legal in this state."""


class IllegalPlayError(IllegalActionError):
    """A whole play that is not legal with this roll."""


class EngineError(BgEnvError, RuntimeError):
    """An engine of others could not be started, ended again and again, or refused."""


class UnknownNameError(BgEnvError, LookupError):
    """A name that no registry knows."""

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """Build the message: what was asked for, the nearest name, all known names."""
        names = sorted(known)
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return cls(f"Unknown {kind} {name!r}; known: {', '.join(names)}.{hint}")

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class MissingExtraError(BgEnvError, ImportError):
    """A package that only an optional extra installs is not there."""

    @classmethod
    def of(cls, package: str, extra: str) -> MissingExtraError:
        """Build the message: which package, and the command that installs it."""
        return cls(
            f"{package!r} is not installed; it comes with the extra [{extra}]: "
            f"pip install 'bg-env[{extra}]'."
        )
