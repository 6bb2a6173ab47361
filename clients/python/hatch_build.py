"""Reads the version, puts the command into the wheel, and names the platforms that it runs on.

`LAYOUTCACHE_BINARY` names the built command. Without it the wheel has only the client, for any
platform.
"""

import os
import re
import struct

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MACHINES = {62: "x86_64", 183: "aarch64"}
INTERPRETER = 3  # PT_INTERP
HERE = os.path.dirname(os.path.abspath(__file__))


def package_version():
    """Returns the command's version in Python's form: 1.0.0-beta.1 is 1.0.0b1."""
    source = os.path.join(HERE, "..", "..", "Sources", "LayoutCacheCommand", "RootCommand.swift")
    if not os.path.exists(source):
        # A source distribution has its version.
        with open(os.path.join(HERE, "PKG-INFO"), encoding="utf-8") as file:
            return re.search(r"^Version: (.+)$", file.read(), re.M)[1]
    with open(source, encoding="utf-8") as file:
        number = re.search(r'static let number = "([^"]+)"', file.read())[1]
    return re.sub(r"-(alpha|beta|rc)\.?", lambda found: {"alpha": "a", "beta": "b", "rc": "rc"}[
        found[1]], number)


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = os.environ.get("LAYOUTCACHE_BINARY")
        if not binary or version == "editable":
            return
        build_data["force_include"][os.path.abspath(binary)] = "layoutcache/bin/layoutcache"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform(binary)}"


def platform(path):
    """Returns the platform tag of an ELF file.

    A static program needs only the kernel, and no C library. So it runs on every system that
    accepts wheels for an old glibc (manylinux) or for musl (musllinux), and the wheel has the tags
    of both. A program that loads libraries may need those of the system that built it: its wheel
    is for that system, and package indexes do not accept it.
    """
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is not a 64-bit Linux program")
        machine = MACHINES.get(struct.unpack_from("<H", head, 18)[0])
        if machine is None:
            raise ValueError(f"{path} is for a machine without a known wheel tag")
        offset, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        file.seek(offset)
        table = file.read(size * count)
    kinds = [struct.unpack_from("<I", table, size * index)[0] for index in range(count)]
    if INTERPRETER in kinds:
        return f"linux_{machine}"
    return f"manylinux2014_{machine}.manylinux_2_17_{machine}.musllinux_1_1_{machine}"
