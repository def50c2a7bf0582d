from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import converts_pod, load, write

from overstory.errors import LoaderNotFound
from overstory_loaders import PodLoader

MODULE = """\
package File::Sift;
sub sift { return 1 }

=head1 NAME

File::Sift - sorts B<all> files

=head1 METHODS

=over 4

=item sift(I<$path>)

Sorts one, see L<File::Find/find> and L<the site|https://example.org>.

    sift('a');

=item * first

=item * second

=back

=begin latex

no text

=end latex

=for later nothing

=cut

sub more { 2 }
"""


@converts_pod
def test_of_a_module_its_pod_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "Sift.pm", MODULE)
    assert PodLoader().recognises(str(path))
    document = load(PodLoader(), path).document
    assert document.title == "File::Sift"
    assert document.text == (
        'NAME\n\nFile::Sift - sorts all files\n\nMETHODS\n\nsift($path)\nSorts one, see "find" in File::Find and '
        "the site.\n\nsift('a');\n\n* first\n* second"
    )
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "NAME"), (1, "METHODS")]


def test_a_module_without_pod_is_left_to_be_skipped(tmp_path: Path) -> None:
    assert not PodLoader().recognises(str(write(tmp_path / "Sift.pm", "package Sift;\n1;\n")))


@converts_pod
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("C<< $a <=> $b >> and C<<< x >> y >>>", "$a <=> $b and x >> y"),
        ("B<bold I<both>> E<lt>E<sol>E<0x41>E<eacute>Z<>X<entry>", "bold both </A\xe9"),
        ('L<perlop>, L</"Names">, L<https://example.org/a>', 'perlop, "Names", https://example.org/a'),
        ("a > b and 1 < 2", "a > b and 1 < 2"),
        ("I<" * 100 + "deep" + ">" * 100, "deep"),
    ],
)
def test_formatting_codes(written: str, shown: str, tmp_path: Path) -> None:
    assert load(PodLoader(), write(tmp_path / "a.pod", f"=pod\n\n{written}\n")).document.text == shown


@converts_pod
def test_a_declared_encoding_is_read_and_faults_of_the_markup_are_no_text(tmp_path: Path) -> None:
    pod = "=encoding latin1\n\n=head1 Caf\xe9\n\nOpen C<code\n\n=back\n\nEnd.\n".encode("latin-1")
    assert load(PodLoader(), write(tmp_path / "a.pod", pod)).document.text == "Caf\xe9\n\nOpen code\n\nEnd."


def test_without_the_program_the_remedy_names_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LoaderNotFound, match="needs pod2html, which is not installed") as raised:
        load(PodLoader(), write(tmp_path / "a.pod", "=head1 A\n"))
    assert raised.value.remedy == "Install Perl: apt-get install perl"
