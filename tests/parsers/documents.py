"""Documents of others. Whatever one of their readers raises, that file is broken and no other; it must come to an end."""

import io
from collections.abc import Callable, Iterator

from managers.recall.documents.html import read_html
from managers.recall.documents.parts import Part
from managers.recall.documents.text import decode, read_markdown, read_table
from managers.recall.documents.word import _Body
from managers.recall.documents.xml import parse_xml
from managers.recall.index.sources import chunks_of_document
from tests.parsers.parser import Parser, spaced


def _read(reader: Callable[[bytes], Iterator[Part]]) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        try:
            parts = list(reader(data))
        except Exception:  # noqa: BLE001  # as in `managers.recall.documents.child`
            return None
        return chunks_of_document(parts, 300, 50)

    return read


def _word(data: bytes) -> Iterator[Part]:
    body = _Body()
    parse_xml(io.BytesIO(data), body)
    yield from (Part("", text) for _, text in body.paragraphs)


_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DOCUMENT = (
    f'<w:document xmlns:w="{_SPACE}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>One</w:t><w:tab/><w:br/></w:r></w:p></w:body></w:document>"
).encode()
_PAGE = b"<!DOCTYPE html><title>x</title><h1>A</h1><p class='a' b=\"c\">One &amp; two<br/><!-- no --><script>if (a<b) x</script><h2>B</h2>"

PARSERS = (
    Parser("html", _read(read_html), (_PAGE,),
        spaced("<a <p> </p> <h1> </h1> <!-- --> <script> </script <svg> =' =\" = & &# &#x 99999999 ; <! <? </ <title",
        "<a ")),
    Parser("markdown", _read(read_markdown), (b"# A\n\none\n\n## B ##\ntwo\n",), spaced("# ######",
        "# ¦## ¦ #¦\x0b¦x\n")),
    Parser("table", _read(read_table), ('name,年\n"a, b",3\n;\n'.encode(),), spaced(', ; ""', '"\n¦a,b\n')),
    Parser("decoding", decode, ("言葉\n".encode("cp932"), "é".encode("cp1252")), (*spaced("あ"), b"\x82\xa0",
        b"\xa4\xa2", b"\xff\xfe", b"\0", b"\xe9")),
    Parser("word", _read(_word), (_DOCUMENT,),
        (*spaced('<w:p> </w:p> <w:r> <w:t> </w:t> <w:pPr> "/> <w:tab/> &#x41; &amp; <x> </x>',
        '<w:pStyle w:val="¦<!DOCTYPE x ['), f' xmlns:w="{_SPACE}"'.encode())),
)  # fmt: skip
