"""The packages and programs that the stories need, installed where they are missing: Playwright and axe from PyPI, beside the build.
The browser is the system's Chromium; Playwright brings none."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build" / "front-python"
PACKAGES = ["playwright==1.65.2", "axe-playwright-python==0.1.8"]


def install():
    """Makes Playwright importable."""
    marker = FOLDER / "installed.txt"
    if not marker.exists() or marker.read_text().split() != PACKAGES:
        print(f"Installing: {' '.join(PACKAGES)} (PyPI)", file=sys.stderr)
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--root-user-action=ignore", "--target", FOLDER, *PACKAGES],
            check=True, stdout=sys.stderr)
        marker.write_text("\n".join(PACKAGES))
    sys.path.insert(0, str(FOLDER))


def chromium():
    """The path of the browser. The stories fail without one. The one without windows of its own takes a quarter less of the processor."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    sys.exit("✘ front: there is no Chromium: script/install tests installs it")


def axe():
    """The source of axe-core."""
    return (FOLDER / "axe_playwright_python" / "axe.min.js").read_text()
