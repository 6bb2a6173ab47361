"""Three machines and a client machine. If this process may create them, they are network
namespaces on a bridge, which can be cut off in either direction; otherwise they are loopback
addresses, which cannot be cut off."""

import os

from processes import run

MACHINES = ("a", "b", "c")
NOWHERE = "02:00:00:00:00:99"


class Network:
    """The network. The clients are the machine `hub`."""

    def __init__(self, is_isolated):
        self.is_isolated = is_isolated
        self.cuts = set()
        start = "10.77.0.1" if is_isolated else "127.77.0.1"
        self.addresses = {name: f"{start}{number}"
                          for number, name in enumerate(("hub", *MACHINES))}
        if is_isolated:
            self._make()

    def _make(self):
        # In mount and network namespaces of this process, so nothing remains.
        run(["ip", "link", "set", "lo", "up"])
        run(["mount", "-t", "tmpfs", "none", "/run"])
        run(["ip", "link", "add", "hub", "type", "bridge"])
        run(["ip", "address", "add", f"{self.addresses['hub']}/24", "dev", "hub"])
        run(["ip", "link", "set", "hub", "up"])
        for name in MACHINES:
            run(["ip", "netns", "add", name])
            run(["ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "net",
                 "netns", name])
            run(["ip", "link", "set", f"to-{name}", "master", "hub", "up"])
            run(["ip", "-n", name, "address", "add", f"{self.addresses[name]}/24", "dev", "net"])
            for device in ("lo", "net"):
                run(["ip", "-n", name, "link", "set", device, "up"])

    def words(self, machine):
        """The command prefix of a program that runs on a machine."""
        return ["ip", "netns", "exec", machine] if self.is_isolated and machine != "hub" else []

    def cut(self, source, target):
        """Silently drops everything that one machine sends to another.

        It is sent to an unused hardware address.
        """
        self.cuts.add((source, target))
        self._neighbour(source, "replace", self.addresses[target], "lladdr", NOWHERE,
                        "nud", "permanent")

    def heal(self):
        for source, target in sorted(self.cuts):
            self._neighbour(source, "del", self.addresses[target])
        self.cuts.clear()

    def _neighbour(self, source, verb, address, *words):
        place = [] if source == "hub" else ["-n", source]
        device = "hub" if source == "hub" else "net"
        run(["ip", *place, "neighbour", verb, address, *words, "dev", device])


def may_isolate():
    """Whether this process may create namespaces."""
    if os.geteuid():
        return False
    try:
        run(["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c",
             "ip link add hub type bridge && ip link add x type veth peer name y"])
        return True
    except Exception:  # pylint: disable=broad-except
        return False
