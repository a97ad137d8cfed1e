"""Streams made by ncompress 4.2.4.6, and streams packed by hand from the description of the format."""

from __future__ import annotations

import zlib
from base64 import b64decode

import pytest

from bnlab.data.lzw import uncompress

CLEAR = 256

# The numbers 0 .. 299, each after a blank, `compress -b 16`: codes grow from 9 to 10 bits.
NUMBERS = (
    "eNoBZgKZ/R+dkDBAxAAhA8QMEDRA1ABhA8QNEDhA5BAYMMbAGAVjHIyRMMbCGA1jPIwRMcZEGQFlDJRRUMZBGQllLJTRUMZDGRFlTJwRcMbA"
    "GQVnHJyRcMbCGQ1nPJwRccZEGgFpDKRRkMZBGglpLKTRkMZDGhFpTKwRsMbAGgVrHKyRsMbCGg1rPKwRscZEGwFtDLRR0MZBGwltLLTR0MZD"
    "GxFtTLwR8MbAGwVvHLyR8MbCGw1vPLwR8cZEHAFxDMRREMdBHAlxLMTREMdDHBFxTMwRMMfAHAVzHMyRMMfCHA1zPMwRMcfEGDAqwrgIIyOM"
    "jTA6wvgIIySMkTBKwjiOXKBF7xk1eu/o0XtIkd5LmhSIkv1Fluw3wmT/kSb7kTjZH+cp0Gf/jEL115FR/YWkVH8lOSUQVAteRNWCG2G14Edc"
    "LTgSWAseR5ZAZnGYkVocduQWhyHJxWFJdgmEl4oX8aXiRoCp+BFhKo6EmIrHMSaQYztmJNmOHVm2Y0ia7ViSZwKBluRFpCW5EWpJfsRakiPB"
    "luRxtAlkm5YZ6aZlR75pGZJwWpZkHEHJoblSc2i+FB2aM1WH5k3ZoXlSdyqthBFB4qkUU3kq1YSeSjmtx1JKKhEEH0svzcfSTPaxdFN+LJ3E"
    "n0srAUVQgC7FRKBLNR3oUk4KwpSSVAQ9CNNLEsI0U4Uw3YQhTCdtKNNKaBEEokwxjShTTSbKlFOKNKWkF0Eu0vRSjDTNRCNNN91I00k62rQS"
    "ZAT9aFNMQtpUU5E25YQkTimJRlCTOL0EJU4zTYnTTVbidFKWOq2EG0Fe6hRTmDrVRKZOORkH+Yz+wg=="
)

# 60,000 a and 20,000 bc, `compress -b 10`: the table fills up and is cleared once.
CLEARED = (
    "eNoBhwN4/B+dimECChxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqTJkyhTqlzJsqXLlzBjypxJs6bNmzhz6tzJs6fP"
    "n0CDCh1KtKjRo0iTKl3KtKnTp1CjSp1KtarVq1izat3KtavXr2DDih1LtqzZs2jTql3Ltq3bt3Djyp1Lt67du3jz6t3Lt6/fv4ADCx5MuLDh"
    "w4gTK17MuLHjx5AjS55MubLly5gza97MubPnz6BDix5NurTp06hTq17NurXr17Bjy55Nu7bt27hz697Nu7fv38CDCx9OvLjx48iTK1/OvLnz"
    "59CjS59Ovbr169iza9/Ovbv37+DDix9Pvrz58+jTq1/Pvr379/Djy59Pv779+/jz69/Pv7///wAGKOCABBZo4IEIJqjgggw26OCDEEYo4YQU"
    "VmjhhRhmqOGGHHbo4YcghijiiCSWaOKJKKao4oostujiizDGKOOMNNZo44045qjjjjz26OOPQAYp5JBEFmnkkUgmqeSSTDbp5JNQRinllFRW"
    "aeWVWOooxhhbdsnll16GCeaYYpZJ5plmponmmmq2yeabbsYJ55xy1knnnXbmieeeevbJ559+BgrooIIWSuihhiaK6KKKNsroo45GCumkklZK"
    "6aWWZorpppp2yumnnoYK6qiilkrqqaamiuqqqrbK6quuxgrrrLLWSuuttuaK66669srrr74GC+ywwhZL7LHGJovssso2y+yzzkYL7bTSVkvt"
    "tdZmi+222nbL7bfehgvuuOKWS+655qaL7rrqtsvuu+7GC++88tZL77325ovvvvr2y++//gYM8MACF0zwwQYnjPDCCjfM8MMORwzxxBJXTPHF"
    "FmeM8cYad8zxxx6HDPLIIpdM8skmp4zyyiq3zPLLLscM88wy10zzzTbnjPPOOvfM888+Bw300EIXTfTRRieN9NJKN830005HDfXUUldN9dVW"
    "Z4311lp3zfXXXocN9thil0322WanjfbaarfN9ttuxw333HLXTffddueN99569833334HDvjgghdO+OGGJ4744oo3zvjjjkcO+eSSV0755ZZn"
    "jvnmmnfO+eeehw766KKXTvrppqeO+uqqt876667HDvvsstdO++2254777rr3zvvvvgcP/PDCF0/88cYnj/zyyjfP/PPORw/99NJXT/311meP"
    "/fbad8/9996HD/744pdP/vnmAxYTJ3s="
)


def packed(codes: list[int], flags: int = 0x90) -> bytes:
    """A .Z file of 9-bit codes; the eight codes that a clear code belongs to are filled up with zeros."""
    padded: list[int] = []
    for code in codes:
        padded.append(code)
        if code == CLEAR and flags & 0x80:
            padded += [0] * (-len(padded) % 8)
    bits = sum(code << 9 * place for place, code in enumerate(padded))
    return bytes([0x1F, 0x9D, flags]) + bits.to_bytes((9 * len(padded) + 7) // 8, "little")


def test_a_stream_of_compress_whose_codes_grow_is_unpacked() -> None:
    assert uncompress(zlib.decompress(b64decode(NUMBERS))) == " ".join(map(str, range(300))).encode()


def test_a_stream_of_compress_whose_table_is_cleared_is_unpacked() -> None:
    assert uncompress(zlib.decompress(b64decode(CLEARED))) == b"a" * 60_000 + b"bc" * 20_000


def test_a_code_may_stand_for_the_entry_that_it_creates() -> None:
    assert uncompress(packed([ord("a"), 257, 258])) == b"a" + b"aa" + b"aaa"


def test_a_clear_code_empties_the_table_and_ends_its_group_of_eight() -> None:
    assert uncompress(packed([ord("a"), 257, CLEAR, ord("b"), 257])) == b"aaa" + b"bbb"


def test_without_block_mode_code_256_is_an_entry() -> None:
    assert uncompress(packed([ord("a"), 256], flags=0x10)) == b"aaa"


def test_no_codes_are_no_bytes() -> None:
    assert uncompress(packed([])) == b""


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b\x08", b"\x1f\x9d"])
def test_other_data_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="it does not begin with the bytes 1f 9d"):
        uncompress(data)


def test_a_code_ahead_of_the_table_is_damage() -> None:
    with pytest.raises(ValueError, match="code 300 at byte 4 is not in the table"):
        uncompress(packed([ord("a"), 300]))
