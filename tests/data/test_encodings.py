"""Encodings of text files are guessed from their letters, and a guess is never silent."""

from __future__ import annotations

from pathlib import Path

import pytest

import bnlab
from bnlab.data.encodings import decoded

TEXTS = {
    "German": ("cp1252", "Ort;Größe\nKöln;1,5\nMünchen;2,25\nNürnberg;3\n"),
    "French": ("cp1252", "nom,âge\nHélène,déjà\nFrançois,très\n"),
    "Spanish": ("cp1252", "año,niño\nsí,mañana\n"),
    "Croatian": ("cp1250", "grad,boja\nŠibenik,žuta\nČakovec,crvena\n"),
    "Hungarian": ("cp1250", "nem,kor\nférfi,idős\nnő,fiatal\n"),
    "Romanian": ("cp1250", "oraş,vârstă\nIaşi,tânăr\nBucureşti,bătrân\n"),
    "Russian, single letters": ("cp1251", "пол,ответ\nм,да\nж,нет\n"),
    "Russian of Unix": ("koi8-r", "возраст,доход\nмолодой,низкий\nстарый,высокий\n"),
    "Japanese of Unix": ("euc_jp", "年齢,収入\n若い,ひくい\n老いた,たかい\n"),
    "Polish": ("cp1250", "imię,wiek\nŁukasz,żółty\nMałgorzata,święto\n"),
    "Czech": ("cp1250", "jméno,věk\nJiří,žena\nŠárka,muž\nVěra,řeka\n"),
    "Russian": ("cp1251", "имя,возраст\nИван,молодой\nМария,старый\n"),
    "Greek": ("cp1253", "όνομα,ηλικία\nΓιώργος,νέος\n"),
    "Japanese": ("shift_jis", "名前,年齢\n太郎,若い\n花子,老いた\n"),
    "Chinese": ("gb18030", "年龄,收入\n青年,低\n老年,高\n青年,低\n"),
    "Taiwanese": ("big5", "年齡,收入\n青年,低\n老年,高\n"),
    "Korean": ("euc_kr", "나이,소득\n청년,낮음\n노년,높음\n"),
    "one word": ("cp1252", "colour\nred\ngrün\n"),
}


@pytest.mark.parametrize("repeats", [1, 20])
@pytest.mark.parametrize("language", TEXTS)
def test_the_encoding_is_guessed_from_the_letters(language: str, repeats: int) -> None:
    encoding, text = TEXTS[language]
    found = decoded((text * repeats).encode(encoding))
    assert (found.text, found.encoding, found.guessed) == (text * repeats, encoding, True)
    assert decoded((text * repeats).encode()) == (text * repeats, "utf-8", False)


def test_a_guess_is_reported_with_the_way_to_correct_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes("город,x\nМосква,1\nКазань,2\n".encode("cp1251"))
    with pytest.warns(UserWarning, match=r"rows.csv .* read as cp1251, a guess.*FileFormat\(encoding"):
        frame = bnlab.load_frame(path)
    assert frame["город"].tolist() == ["Москва", "Казань"]
    given = bnlab.load_frame(path, format=bnlab.data.FileFormat(encoding="cp1251"))
    assert given.equals(frame)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_no_part_of_the_text(encoding: str) -> None:
    marked = "Köln,1\n".encode(encoding) if encoding in ("utf-16", "utf-32") else "\ufeffKöln,1\n".encode(encoding)
    assert decoded(marked).text == decoded(marked, encoding).text == "Köln,1\n"
