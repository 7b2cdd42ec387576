"""What leaves this machine, and for where: the pages say it wherever they say that nothing else does."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from rhythm.store import PersonSettings

OWN_NAME = "localhost"


def other_host(address: str) -> str:
    """The host of an address where that is another machine; empty where it is this one, or no address.

    Args:
        address: with its scheme, such as ``https://models.example/v1``.
    """
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    if host == OWN_NAME or host.endswith(f".{OWN_NAME}"):
        return ""
    try:
        return "" if ip_address(host).is_loopback else host
    except ValueError:
        return host


def leaving(settings: PersonSettings, suggest_url: str) -> str:
    """A sentence on what is sent to other machines as things are set; empty where nothing is.

    Args:
        settings: the person's.
        suggest_url: server of the language model that suggests; empty where there is none.
    """
    titles, moments = other_host(settings.model_url), other_host(suggest_url)
    sent = []
    if titles:
        sent.append(f"event titles that the rules do not know go to {titles}")
    if moments:
        sent.append(f"meters, answers and records of thirty days go to {moments}, where a language model suggests")
    if settings.notify:
        sent.append("notices of what is suggested go to the addresses of --notify-file")
    return f"What leaves this machine: {'; '.join(sent)}." if sent else ""
