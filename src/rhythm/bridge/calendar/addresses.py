"""Which addresses a feed may be fetched from: public ones only, unless private ones are allowed.

A feed's address comes from outside, and so does every redirect. Names are resolved once, every
address that a name has is checked, and the connection goes to the checked address itself:
what the name says a moment later no longer matters (no DNS rebinding).
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], list[str]]

_SHARED = ip_network("100.64.0.0/10")
_TRANSLATED = ip_network("64:ff9b::/96")
_SIX_TO_FOUR = ip_network("2002::/16")


class AddressError(ValueError):
    """A name that has no address, or has one that may not be fetched from: then `private` is true."""

    def __init__(self, text: str, *, private: bool = False) -> None:
        super().__init__(text)
        self.private = private


def is_public(address: Address) -> bool:
    """Whether an address belongs to the open Internet.

    IPv4 inside IPv6 (mapped, translated, 6to4) counts as the IPv4 address that it carries.
    """
    if isinstance(address, IPv6Address):
        carried = address.ipv4_mapped
        if carried is None and address in _TRANSLATED:
            carried = IPv4Address(int(address) & 0xFFFFFFFF)
        if carried is None and address in _SIX_TO_FOUR:
            carried = address.sixtofour
        if carried is not None:
            return is_public(carried)
        if address.teredo is not None:
            return False
    elif address in _SHARED:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def checked_addresses(host: str, port: int, *, allow_private: bool, resolve: Resolver, timeout_s: float) -> list[str]:
    """The addresses to try for a host, in the resolver's order; at least one.

    Args:
        host: name or address.
        port: port.
        allow_private: also addresses of home and local networks.
        resolve: what looks names up.
        timeout_s: how long that may take.

    Raises:
        AddressError: no address, too slow, or one that is not public. One bad address among several
            refuses the name: an honest name has none.
    """
    found = list(dict.fromkeys(text.partition("%")[0] for text in _resolved(host, port, resolve, timeout_s)))
    try:
        addresses = [ip_address(text) for text in found]
    except ValueError:
        addresses = []
    if not addresses:
        raise AddressError("the host name leads to no address; check its spelling")
    if any(address.is_multicast or address.is_unspecified for address in addresses):
        raise AddressError("the host name leads to an address that no server has", private=True)
    if not allow_private and not all(is_public(address) for address in addresses):
        raise AddressError(
            "lies in a private or local network; allow private addresses for this feed if it is yours", private=True
        )
    return found


def look_up(host: str, port: int) -> list[str]:
    """All addresses of a host, as the system's resolver gives them."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _resolved(host: str, port: int, resolve: Resolver, timeout_s: float) -> list[str]:
    """Resolve on a thread of its own: the system's resolver knows no deadline."""
    found: list[str] = []

    def work() -> None:
        with suppress(OSError, UnicodeError):
            found.extend(resolve(host, port))

    thread = threading.Thread(target=work, name="resolve", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise AddressError("looking up the host name took too long; try again later")
    return found
