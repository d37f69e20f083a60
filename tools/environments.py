"""Virtual environments for scripts that need packages from PyPI: made once, and again when the requirements change."""

import pathlib
import subprocess
import sys
import venv


def make_environment(folder, requirements):
    """The Python of a virtual environment in `folder` that has the `requirements`."""
    folder = pathlib.Path(folder)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / "requirements.txt"
    wanted = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"making the environment {folder.name}", file=sys.stderr, flush=True)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True)
        stamp.write_text(wanted)
    return python
