"""`python -m overstory` is `overstory`."""

from overstory_cli import main

if __name__ == "__main__":
    main()
