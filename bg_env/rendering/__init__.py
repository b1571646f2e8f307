"""Boards for people."""

from bg_env.rendering.ansi import render, render_position, status

__all__ = ["render", "render_position", "status"]
