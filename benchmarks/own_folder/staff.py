"""Write documents/tables/staff.xlsx: two sheets that share the code of a department.

python benchmarks/own_folder/staff.py
"""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook

STAFF = """\
name,department,position,since,town
Marguerite Okafor,ADM,head,2023-02-01,Amberholt
Lucia Ferrante,ADM,deputy head,2024-05-01,Amberholt
Greta Vang,ADM,office manager,2009-01-15,Sundwick
Noor Rahimi,ADM,IT,2021-06-01,Amberholt
Mirko Jelen,ADM,caretaker,2023-10-01,Amberholt
Astrid Dahl,STR,violin,2015-08-01,Amberholt
Anna Berg,STR,cello,2013-08-01,Sundwick
Hedda Moor,STR,violin,2022-08-01,Kessmark
Elise Thorn,KEY,piano,2008-08-01,Kessmark
Ewan Pryce,KEY,organ,2019-08-01,Amberholt
Sven Aarvik,KEY,piano,2022-08-01,Sundwick
Yuki Tamura,WIN,flute,2018-08-01,Sundwick
Tobias Renner,WIN,clarinet,2012-08-01,Kessmark
Pavel Kovar,BRA,trumpet,2016-08-01,Sundwick
Bruno Castell,GUI,guitar,2014-08-01,Sundwick
Daniel Whitlock,PER,percussion,2020-08-01,Amberholt
"""
DEPARTMENTS = """\
code,department,led by,building,budget in euros
ADM,Administration,Marguerite Okafor,12 Mill Street,92000
STR,Strings,Anna Berg,12 Mill Street,61000
KEY,Keyboard,Elise Thorn,12 Mill Street,58000
WIN,Wind,Yuki Tamura,Old Customs House,33000
BRA,Brass,Pavel Kovar,Old Customs House,24500
GUI,Guitar,Bruno Castell,Old Customs House,18200
PER,Percussion,Daniel Whitlock,12 Mill Street,15900
"""


def main() -> None:
    book = Workbook()
    book.remove(book.worksheets[0])
    for title, lines in (("Staff 2024", STAFF), ("Departments", DEPARTMENTS)):
        sheet = book.create_sheet(title)
        for line in lines.splitlines():
            sheet.append([int(cell) if cell.isdigit() else cell for cell in line.split(",")])
    book.save(Path(__file__).resolve().parent / "documents" / "tables" / "staff.xlsx")


if __name__ == "__main__":
    main()
