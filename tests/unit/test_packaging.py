from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "overstory",
    "overstory_cli",
    "overstory_entropy",
    "overstory_loaders",
    "overstory_service",
    "overstory_systems",
}
CHECK_NAMES = ROOT / "scripts" / "check_names.py"


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    result = run(sys.executable, "-m", "hatchling", "build", "-d", str(folder))
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The unpacked wheel."""
    (file,) = built.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(built / "wheel")  # noqa: S202 # built a moment ago
    return built / "wheel"


def test_the_wheel_holds_every_module_statement_and_example(wheel: Path) -> None:
    folders = [ROOT / "platform", ROOT / "loaders"]
    expected = {path.relative_to(folder) for folder in folders for path in folder.rglob("*.py")}
    for source, target in (("cypher", "_cypher"), ("examples", "_examples")):
        files = [path for path in (ROOT / source).rglob("*") if path.is_file()]
        assert files
        expected |= {Path("overstory", target, path.relative_to(ROOT / source)) for path in files}
    prompts = list((ROOT / "platform" / "overstory" / "llm" / "prompts").glob("*.md"))
    assert prompts
    expected |= {path.relative_to(ROOT / "platform") for path in prompts}
    expected |= {Path(package, "py.typed") for package in PACKAGES}
    assert expected <= {path.relative_to(wheel) for path in wheel.rglob("*")}


def test_the_wheel_holds_nothing_but_the_packages_and_their_description(built: Path) -> None:
    (file,) = built.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        paths = list(map(PurePosixPath, archive.namelist()))
    assert {path.parts[0].partition("-")[0] for path in paths} == PACKAGES
    assert not [path for path in paths if "__pycache__" in path.parts]


def test_the_licences_travel_with_the_wheel(wheel: Path) -> None:
    (licences,) = wheel.glob("overstory-*.dist-info/licenses")
    assert "Apache License" in (licences / "LICENSE").read_text(encoding="utf-8")
    assert "HotpotQA" in (licences / "NOTICE").read_text(encoding="utf-8")
    for share_alike in (licences / "examples", wheel / "overstory" / "_examples"):
        text = (share_alike / "LICENSE-CC-BY-SA-4.0").read_text(encoding="utf-8")
        assert text.startswith("Attribution-ShareAlike 4.0 International")
        assert "Section 8 -- Interpretation" in text


def test_an_installed_wheel_finds_its_demo_corpus(wheel: Path) -> None:
    command = "import overstory.examples as e; print(e.__file__); print(e.demo_corpus())"
    result = run(sys.executable, "-c", f"import sys; sys.path.insert(0, '.'); {command}", cwd=wheel)
    module, corpus = (Path(line).resolve() for line in result.stdout.splitlines())
    assert module == (wheel / "overstory" / "examples.py").resolve()
    assert corpus == (wheel / "overstory" / "_examples" / "hotpotqa").resolve()


def test_what_the_build_writes_names_no_registry_and_no_machine(wheel: Path) -> None:
    """The rest of the wheel are copies of files in git, which `make lint` checks."""
    (written,) = wheel.glob("*.dist-info")
    result = run(sys.executable, str(CHECK_NAMES), str(written))
    assert result.returncode == 0, result.stdout


def test_all_other_files_of_the_wheel_are_copies(wheel: Path) -> None:
    for package in PACKAGES:
        files = [path for path in (wheel / package).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert files
        for file in files:
            match file.relative_to(wheel).parts:
                case ("overstory", "_cypher" | "_examples" as folder, *parts):
                    original = ROOT.joinpath(folder.removeprefix("_"), *parts)
                case parts:
                    original = ROOT.joinpath("loaders" if package == "overstory_loaders" else "platform", *parts)
            assert file.read_bytes() == original.read_bytes(), file


@pytest.mark.parametrize(
    "words",
    [["https://py", "pi.org/simple"], ["files.python", "hosted.org"], ["'/wo", "rk/main'"], [" /ro", "ot/.cache"]],
)
def test_a_registry_or_a_machine_would_be_found(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "notes.md").write_text("fine\n" + "".join(words), encoding="utf-8")
    result = run(sys.executable, str(CHECK_NAMES), str(tmp_path))
    assert result.returncode == 1
    assert "notes.md:2: " in result.stdout


def test_the_source_distribution_holds_what_a_build_and_the_tests_need(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in archive.getnames()}
    assert {
        "LICENSE",
        "NOTICE",
        "Makefile",
        "README.md",
        "pyproject.toml",
        "requirements.lock",
        "requirements-model.lock",
        "requirements-run.lock",
        "requirements-server.lock",
        "examples/LICENSE-CC-BY-SA-4.0",
        "examples/hotpotqa/corpus.jsonl",
        "examples/movies/nodes.csv",
        "scripts/check_names.py",
        "tests/unit/test_packaging.py",
    } <= names


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    headings = [
        line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## ")
    ]
    assert headings[0] == f"## {version('overstory')}"
