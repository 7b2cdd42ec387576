"""The record of answers: events that are only ever added.

An answer is undone by a later event that names it, never by deletion. The answer that
holds is the one that no event undoes, and a suggestion has at most one. A tap carries a
key of its own, so one that was made offline and is sent again is recorded once.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from rhythm.store.answer_records import Answer, Exchange, Suggestion
from rhythm.store.errors import AlreadyAnsweredError, KeyReusedError, NothingToUndoError, UnknownEntryError
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import answers, suggestions
from rhythm.vocab.responses import Response


class _Tap(NamedTuple):
    at: datetime | None
    channel: str
    key: str | None = None


class Answers:
    """A person's answers."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Answer, answers).where(scope.mine(answers))

    def give(
        self,
        suggestion: int,
        response: Response,
        *,
        at: datetime | None = None,
        channel: str = "page",
        key: str | None = None,
        replace: bool = False,
    ) -> Answer:
        """Records an answer; when it returns, the answer is on disk.

        Args:
            suggestion: number of the suggestion.
            response: the outcome.
            at: when the person tapped; now where it is not given.
            channel: where the tap came from.
            key: the tap's own key. The same key again gives what was recorded the first time.
            replace: undo an answer that holds, in the same step.

        Raises:
            UnknownEntryError: this person has no such suggestion.
            AlreadyAnsweredError: an answer holds, and ``replace`` is not set.
            KeyReusedError: the key was used for another answer.
        """
        with self._scope.write() as connection:
            known = self._known(connection, key, suggestion, response)
            if known is not None:
                return known
            self._must_exist(connection, suggestion)
            holding = self._holding(connection, suggestion)
            if holding is not None:
                if not replace:
                    raise AlreadyAnsweredError(f"suggestion {suggestion} has an answer; undo it first, or replace it")
                self._append(connection, suggestion, None, holding, _Tap(at, channel))
            return self._append(connection, suggestion, response, None, _Tap(at, channel, key))

    def undo(
        self, suggestion: int, *, at: datetime | None = None, channel: str = "page", key: str | None = None
    ) -> Answer:
        """Takes back the answer that holds, by one more event; what was learned from it is dropped.

        Raises:
            UnknownEntryError: this person has no such suggestion.
            NothingToUndoError: no answer holds.
            KeyReusedError: the key was used for another answer.
        """
        with self._scope.write() as connection:
            known = self._of_key(connection, key)
            if known is not None:
                if known.suggestion != suggestion or known.undoes is None:
                    raise KeyReusedError("the tap's key was used for another answer; give each tap a key of its own")
                return known
            self._must_exist(connection, suggestion)
            holding = self._holding(connection, suggestion)
            if holding is None:
                raise NothingToUndoError(f"suggestion {suggestion} has no answer that could be undone")
            return self._append(connection, suggestion, None, holding, _Tap(at, channel, key))

    def known(self, key: str | None, suggestion: int, response: Response) -> Answer | None:
        """What was recorded under a tap's key; None where it is new.

        Args:
            key: the tap's own key, where it has one.
            suggestion: number of the suggestion.
            response: the outcome; without ``moved_to``, wherever it was moved to.

        Raises:
            KeyReusedError: the key was used for another answer.
        """
        with self._scope.read() as connection:
            return self._known(connection, key, suggestion, response)

    def holding(self, numbers: Iterable[int]) -> dict[int, Answer]:
        """The answers that hold, by suggestion number; those without one are left out."""
        wanted = tuple(numbers)
        query = self._all.where(answers.c.suggestion.in_(wanted), holds())
        with self._scope.read() as connection:
            return {answer.suggestion: answer for answer in self._scope.rows(connection, query, Answer)}

    def exchanges(self, first: int, last: int) -> tuple[Exchange, ...]:
        """Each suggestion for the slots ``first`` to ``last`` with the answer that holds."""
        mine = self._scope.mine
        asked = fields_of(Suggestion, suggestions).where(mine(suggestions), suggestions.c.slot.between(first, last))
        given = (
            fields_of(Answer, answers)
            .join(
                suggestions,
                sa.and_(suggestions.c.person_id == answers.c.person_id, suggestions.c.number == answers.c.suggestion),
            )
            .where(mine(answers), suggestions.c.slot.between(first, last), holds())
        )
        with self._scope.read() as connection:
            of = {answer.suggestion: answer for answer in self._scope.rows(connection, given, Answer)}
            made = self._scope.rows(connection, asked.order_by(suggestions.c.number), Suggestion)
        return tuple(Exchange(suggestion, of.get(suggestion.number)) for suggestion in made)

    def unanswered(self, last: int) -> tuple[Suggestion, ...]:
        """The suggestions for slots up to ``last`` that no answer holds for, however old."""
        given = sa.select(answers.c.number).where(
            answers.c.person_id == suggestions.c.person_id, answers.c.suggestion == suggestions.c.number, holds()
        )
        mine = self._scope.mine(suggestions)
        query = fields_of(Suggestion, suggestions).where(mine, suggestions.c.slot <= last, ~given.exists())
        with self._scope.read() as connection:
            return self._scope.rows(connection, query.order_by(suggestions.c.number), Suggestion)

    def events(self, suggestion: int | None = None, after: int = 0) -> tuple[Answer, ...]:
        """Everything that was recorded, of one suggestion or of all, in order, beyond number ``after``."""
        query = self._all.where(answers.c.number > after).order_by(answers.c.number)
        if suggestion is not None:
            query = query.where(answers.c.suggestion == suggestion)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, Answer)

    def _append(
        self,
        connection: sa.Connection,
        suggestion: int,
        response: Response | None,
        undone: Answer | None,
        tap: _Tap,
    ) -> Answer:
        recorded_at = self._scope.now()
        answer = Answer(
            number=self._scope.next_number(connection),
            suggestion=suggestion,
            outcome=None if response is None else response.outcome,
            moved_to=None if response is None else response.moved_to,
            undoes=None if undone is None else undone.number,
            at=tap.at or recorded_at,
            recorded_at=recorded_at,
            channel=tap.channel,
            key=tap.key,
        )
        self._scope.insert(connection, answers, answer)
        if undone is not None:
            self._scope.retract(connection, undone.number)
        return answer

    def _must_exist(self, connection: sa.Connection, suggestion: int) -> None:
        query = sa.select(suggestions.c.number).where(self._scope.mine(suggestions), suggestions.c.number == suggestion)
        if connection.execute(query).first() is None:
            raise UnknownEntryError("suggestion", suggestion)

    def _holding(self, connection: sa.Connection, suggestion: int) -> Answer | None:
        query = self._all.where(answers.c.suggestion == suggestion, holds())
        found = self._scope.rows(connection, query, Answer)
        return found[0] if found else None

    def _known(self, connection: sa.Connection, key: str | None, suggestion: int, response: Response) -> Answer | None:
        found = self._of_key(connection, key)
        if found is None:
            return None
        same = found.suggestion == suggestion and found.outcome is response.outcome
        if not same or response.moved_to not in {None, found.moved_to}:
            raise KeyReusedError("the tap's key was used for another answer; give each tap a key of its own")
        return found

    def _of_key(self, connection: sa.Connection, key: str | None) -> Answer | None:
        if key is None:
            return None
        found = self._scope.rows(connection, self._all.where(answers.c.key == key), Answer)
        return found[0] if found else None


def holds() -> sa.ColumnElement[bool]:
    """That a row of `answers` is an outcome which no later event undoes."""
    later = answers.alias("later")
    undone: sa.Select[Any] = sa.select(later.c.number).where(
        later.c.person_id == answers.c.person_id, later.c.undoes == answers.c.number
    )
    return sa.and_(answers.c.outcome.is_not(None), ~undone.exists())
