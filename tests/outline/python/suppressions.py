# ruff: noqa: F401
# mypy: ignore-errors
"""Suppressed lint, unfinished work and debugging aids."""
import pdb
import os  # noqa
import sys  # noqa: E402, F811
from typing import no_type_check

import yaml  # type: ignore
import toml  # type: ignore[import-untyped]  # noqa: I001


def risky(value):  # pragma: no cover
    # TODO: check the value
    result = eval(value)  # nosec B307  # pylint: disable=eval-used
    print(result)  # printing is no debugging aid
    # pylint: disable=too-many-branches, unused-argument
    other = value.missing  # pyright: ignore[reportAttributeAccessIssue]
    # pylint: disable-next=invalid-name
    X = other
    x = (  # fmt: skip
        1)
    breakpoint()
    pdb.set_trace()
    import ipdb; ipdb.set_trace()
    return X  # type: ignore[return-value]


@no_type_check
def untyped(a, b):
    text = "# noqa in a text is none, nor is TODO"
    return a + b + text  # FIXME
