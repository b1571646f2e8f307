"""Action masks explained: which of the 162 actions are legal, and why.

    python examples/masks_explained.py

A naive mask would ask of each die alone whether it can be played. The rules ask for
more: a move is legal only if a complete legal turn begins with it, with both dice
played if that is possible at all, and the larger one if only one of them can be.
"""

import argparse

import gymnasium
import numpy as np

import bg_env  # noqa: F401  # registers the environments

# (what is to be seen, XGID of the position)
POSITIONS = (
    (
        "The opening, 3-1: every move that can begin a turn",
        "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    ),
    (
        "4-1, both dice must be played: 11/10 is out, as no 4 could follow",
        "--c-N-d----A-----d----d---:0:0:1:41:0:0:0:0:10",
    ),
    (
        "4-3, one of them can be played: the larger, so 20/17 is out",
        "-N-----------de---c-A---c-:0:0:1:43:0:0:0:0:10",
    ),
    (
        "4-3 from the bar: only with the 3, or the other die would be lost",
        "---M--e--d--A--c--c------A:0:0:1:43:0:0:0:0:10",
    ),
    (
        "6-4, bearing off: the 6 may take the highest checker only",
        "----AA-------------bcccbb-:0:0:1:64:0:0:0:0:10",
    ),
    (
        "Closed out: nothing but to pass, the mask is never empty",
        "------E-E----D-----cccbbbA:0:0:1:11:0:0:0:0:10",
    ),
)


def show_positions():
    """Boards, and the actions that the mask allows on them."""
    env = gymnasium.make("Backgammon-Cubeless-v0", auto_pass=False, render_mode="ansi")
    for title, xgid in POSITIONS:
        _, info = env.reset(options={"xgid": f"XGID={xgid}"})
        legal = np.flatnonzero(info["action_mask"])
        words = [f"{a} = {env.unwrapped.action_text(int(a))}" for a in legal]
        print(f"\n{title}\n{env.render()}")
        print("legal:", ", ".join(words))
    env.close()


def show_cube():
    """With the cube the mask says when one may double, take or drop."""
    env = gymnasium.make("Backgammon-v0", opponent="self")
    _, info = env.reset(
        options={"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"}
    )
    print("\nBefore a roll in a money game with the cube:")
    for _ in range(2):
        legal = np.flatnonzero(info["action_mask"])
        words = [env.unwrapped.action_text(int(action)) for action in legal]
        print(f"player {info['current_player']} may: {', '.join(words)}")
        double = 152
        if info["action_mask"][double]:
            _, _, _, _, info = env.step(double)
    env.close()


def count_choices(steps):
    """The mask of every state of random games, in two forms that always agree."""
    env = gymnasium.make("Backgammon-Cubeless-v0", opponent="random")
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    choices = []
    for _ in range(steps):
        mask = info["action_mask"]  # int8, for action_space.sample(mask=...)
        same = env.get_wrapper_attr("action_masks")()  # bool, for sb3-contrib
        assert np.array_equal(mask.astype(bool), same)
        assert mask.any()
        choices.append(int(mask.sum()))
        action = env.action_space.sample(mask=mask)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
    env.close()
    mean = np.mean(choices)
    print(
        f"\nIn {steps} decisions of random games {mean:.1f} of {mask.size} actions "
        f"were legal on average, {max(choices)} at most. Without a mask a random "
        f"action is illegal {1 - mean / mask.size:.0%} of the time."
    )


def main():
    """Show all of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=3000)
    arguments = parser.parse_args()
    show_positions()
    show_cube()
    count_choices(arguments.steps)


if __name__ == "__main__":
    main()
