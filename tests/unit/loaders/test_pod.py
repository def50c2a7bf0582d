from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

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

=begin html

<b>no text</b>

=end html

=for later nothing

=cut

sub more { 2 }
"""


def test_of_a_module_its_pod_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "Sift.pm", MODULE)
    assert PodLoader().recognises(str(path))
    document = load(PodLoader(), path).document
    assert document.title == "File::Sift"
    assert document.text == (
        "NAME\n\nFile::Sift - sorts all files\n\nMETHODS\n\nsift($path)\n    Sorts one, see find in File::Find and "
        "the site.\n\nsift('a');\n\n- first\n- second"
    )
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "NAME"), (1, "METHODS")]


def test_a_module_without_pod_is_left_to_be_skipped(tmp_path: Path) -> None:
    assert not PodLoader().recognises(str(write(tmp_path / "Sift.pm", "package Sift;\n1;\n")))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("C<< $a <=> $b >> and C<<< x >> y >>>", "$a <=> $b and x >> y"),
        ("B<bold I<both>> E<lt>E<sol>E<0x41>E<eacute>Z<>X<entry>", "bold both </Aé"),
        ('L<perlop>, L</"Names">, L<https://example.org/a>', "perlop, Names, https://example.org/a"),
        ("an open C<code", "an open C<code"),
        ("a > b and 1 < 2", "a > b and 1 < 2"),
        ("I<" * 100 + "deep" + ">" * 100, None),
    ],
)
def test_formatting_codes(written: str, shown: str | None, tmp_path: Path) -> None:
    text = load(PodLoader(), write(tmp_path / "a.pod", f"=pod\n\n{written}\n")).document.text
    assert text == shown or (shown is None and "deep" in text)
