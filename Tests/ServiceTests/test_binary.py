"""The binary answer, decoded only by docs/FORMAT.md: it equals the JSON."""

import json
import struct

from service import ServiceCase, feed

TYPE = "application/vnd.layoutcache.elements"
L = "/v1/datasets/art/layouts/"


class Reader:
    """Decodes the primitives of the format."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        self.at += count
        assert self.at <= len(self.data), "it ends too early"
        return self.data[self.at - count:self.at]

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        number = self.number()
        return number // 2 if number % 2 == 0 else -(number + 1) // 2

    def length(self):
        return self.signed() / 64

    def text(self):
        return self.bytes(self.number()).decode()

    def double(self):
        return struct.unpack("<d", self.bytes(8))[0]


def decoded(data):
    """Returns the answer as members of the JSON, except the names of dataset and layout."""
    reader = Reader(data)
    assert reader.bytes(4) == b"LCE1"
    answer = {"revision": reader.number(), "incarnation": reader.text()}
    answer["contentSize"] = {"width": reader.length(), "height": reader.length()}
    pages = [page(reader) for _ in range(reader.number())]
    assert reader.at == len(data), "something follows"
    return {**answer, **(pages[0] if len(pages) == 1 else {"pages": pages})}


def page(reader):
    after = reader.text()
    sections = {}
    for _ in range(reader.number()):
        index = reader.number()
        sections[index] = reader.text()
    elements = [element(reader, sections) for _ in range(reader.number())]
    return {"elements": elements, **({"next": after} if after else {})}


def element(reader, sections):
    bits = reader.bytes(1)[0]
    category, section = bits & 3, reader.number()
    found = {"category": ("cell", "supplementary", "supplementary", "decoration")[category],
             "section": section, "sectionKey": sections[section]}
    if category == 0:
        found["item"] = reader.number()
        found["key"] = reader.text()
    else:
        found["kind"] = reader.text() if category == 3 else ("header", "footer")[category - 1]
    found["frame"] = {side: reader.length() for side in ("x", "y", "width", "height")}
    if bits & 4:
        found["zIndex"] = reader.signed()
    if bits & 8:
        found["alpha"] = reader.double()
    if bits & 16:
        found["hidden"] = True
    if bits & 32:
        found["transform3D"] = [reader.double() for _ in range(16)]
    if bits & 64:
        found["data"] = json.loads(reader.text())
    return found


def spatial(found):
    """Returns an element of the JSON with a flat transform in its spatial form."""
    found = dict(found)
    if "transform" in found:
        a, b, c, d, x, y = found.pop("transform")
        found["transform3D"] = [a, b, 0, 0, c, d, 0, 0, 0, 0, 1, 0, x, y, 0, 1]
    return found


class BinaryTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        items = [{**item, "key": item["key"] + "é"} for item in feed(300, sections=5)]
        for item in items[::3]:
            item["data"] = {"title": "Ophelia ❀", "numbers": [1.5, None, {}]}
        cls.service.make_feed(items=items)
        plain = {"container": {"width": 390, "height": 844}}
        for name, change in (
                ("pinned", {"section": {"header": 30, "pinsHeader": True, "footer": 9}}),
                ("flow", {"section": {"kind": "flow", "background": {"kind": "kärtchen"}}}),
                ("scaled", {"effect": {"kind": "scale"}}), ("drum", {"effect": {"kind": "rotary"}}),
                ("mirrored", {"layoutDirection": "rightToLeft"})):
            made = cls.service.request(
                "PUT", f"{L}{name}", json.dumps({**plain, **change}))
            assert made.status == 201, made

    def test_binary_and_json_agree(self):
        for layout in ("phone", "pinned", "flow", "scaled", "drum", "mirrored"):
            for query in ("rect=0,0,390,844", "rect=-50,333.5,200,1200", "rect=0,-99,390,1",
                          "rect=0,500,390,900&limit=5", "rect=0,0,390,9&rect=0,700,390,700",
                          "rect=0,0,390,999&data=true"):
                with self.subTest(layout=layout, query=query):
                    target = f"{L}{layout}/elements?{query}"
                    text = self.service.get(target, Accept="application/json")
                    binary = self.service.get(target, Accept=TYPE)
                    self.assertEqual((text.status, binary.status), (200, 200), binary)
                    wanted = text.json
                    self.assertEqual(wanted.pop("dataset"), "art")
                    self.assertEqual(wanted.pop("layout"), layout)
                    for part in wanted.get("pages", [wanted]):
                        part["elements"] = [spatial(one) for one in part["elements"]]
                    self.assertEqual(decoded(binary.body), wanted)
