"""What a CalDAV server answers, for the tests: made by hand, one answer after the other."""

from bridge.calendar.servers import Answer, Server, body

MULTI = '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{}</d:multistatus>'
RESOURCE = (
    "<d:response><d:href>{href}</d:href><d:propstat><d:prop>{prop}</d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
)


def answers(server: Server, *replies: Answer) -> None:
    """Answers one after the other, whatever method is asked by."""
    left = list(replies)

    def answer(request: object) -> None:
        left.pop(0)(request)  # type: ignore[arg-type]

    server.answers["/dav/"] = answer


def multistatus(inside: str) -> Answer:
    """An answer of resources."""
    return body(MULTI.format(inside).encode(), 207)
