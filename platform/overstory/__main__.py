"""Run the command line with `python -m overstory`."""

from overstory_cli import main

if __name__ == "__main__":
    main()
