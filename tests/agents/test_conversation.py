from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents import conversation
from agents.calls import CallView
from agents.conversation import PAGE_SIZE, conversation_page, waiting_views
from agents.conversation_feed import WIDEST_WINDOW, ConversationPart, HeadPart
from agents.feed import Part
from agents.message_view import MessageView
from agents.models import AgentSession, Message, Turn
from agents.sessions import announce, stop_turn, submit_turn
from agents.watcher import Cursor, Viewer
from tests.people import Cast

pytestmark = pytest.mark.django_db

PART = ConversationPart()
HEAD = HeadPart()
Block = Mapping[str, Any]


def text(words: str, kind: str = "output_text") -> Block:
    return {"type": kind, "text": words}


def call(call_id: str, name: str = "look", arguments: str = "{}") -> Block:
    return {"type": "tool_use", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, content: Any = "fine", error: str = "") -> Block:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return block | ({"error": error} if error else {})


def say(
    session: AgentSession, role: str, *blocks: Block, turn: Turn | None = None, **columns: Any
) -> Message:
    """Store a message as the worker does: with the session's next revision."""
    announce(session, conversation=True, message_count=session.message_count + 1)
    return Message.objects.create(
        session=session,
        turn=turn,
        sequence=session.message_count,
        item_id=f"item-{session.message_count}",
        role=role,
        blocks=list(blocks),
        tokens=7,
        revision=session.revision,
        **columns,
    )


def messages(session: AgentSession) -> Sequence[MessageView]:
    session.refresh_from_db()
    page = conversation_page(session)
    return [*page.messages, *page.waiting]


def only_call(session: AgentSession) -> CallView:
    ((view,),) = [message.calls for message in messages(session) if message.calls]
    return view


def html(message: MessageView) -> str:
    return "" if isinstance(message.html, str) else message.html.__html__()


def frame_at(session: AgentSession, cursor: Cursor, *, may_act: bool = False) -> Mapping[str, Any]:
    session.refresh_from_db()
    return PART.read(session, {cursor})[cursor].frame(may_act)


def ids(frame: Mapping[str, Any]) -> list[str]:
    return [message["id"] for message in frame["messages"]]


class TestPage:
    def test_people_and_the_agent_are_told_apart(self, session: AgentSession, people: Cast) -> None:
        people.operator.first_name, people.operator.last_name = "Olga", "Ols"
        people.operator.save()
        turn = submit_turn(session, "Hi", people.operator)
        session.refresh_from_db()
        say(session, "user", text("Hi *there*", "input_text"), turn=turn)
        say(session, "assistant", text("Hello **you**"), turn=turn)
        asked, answered = messages(session)
        assert (asked.role, asked.who, asked.tokens) == ("user", "Olga Ols", 7)
        assert (answered.role, answered.who) == ("assistant", session.profile.name)
        assert "<em>there</em>" in html(asked)
        assert "<strong>you</strong>" in html(answered)

    def test_a_message_of_nobody_in_particular_is_a_users(self, session: AgentSession) -> None:
        say(session, "user", text("Imported", "input_text"))
        assert messages(session)[0].who == "User"

    def test_notes_to_the_agent_are_markers_and_opaque_items_stay_out(self, session: AgentSession) -> None:
        say(session, "developer", text("Summary so far", "input_text"))
        say(session, Message.OPAQUE, {"type": "compaction", "encrypted_content": "zzz"})
        (view,) = messages(session)
        assert (view.role, "Summary so far" in html(view)) == ("marker", True)

    def test_hostile_text_stays_text(self, session: AgentSession) -> None:
        say(session, "user", text("<img src=x onerror=alert(1)>", "input_text"))
        assert "<img" not in html(messages(session)[0])

    def test_pictures_files_and_thinking_are_named_or_left_out(self, session: AgentSession) -> None:
        say(
            session,
            "user",
            {"type": "input_image_url", "image_url": {"url": "https://example.com/x.png"}},
            {"type": "input_file", "file_id": "f"},
        )
        say(session, "assistant", {"type": "thinking", "thinking": "hmm", "persistInHistory": False})
        (picture,) = messages(session)
        assert "An image." in html(picture)
        assert "A file." in html(picture)

    def test_a_queued_message_shows_before_a_worker_takes_it(
        self, session: AgentSession, people: Cast
    ) -> None:
        turn = submit_turn(session, "Do *it*", people.operator)
        (view,) = messages(session)
        assert (view.id, view.role, view.who) == (turn.pk, "user", "olga")
        assert "<em>it</em>" in html(view)

    def test_what_waits_for_its_turn_stands_apart_from_what_the_answer_follows(
        self, session: AgentSession, people: Cast
    ) -> None:
        taken, waits = (submit_turn(session, text, people.operator) for text in ("one", "two"))
        Turn.objects.filter(pk=taken.pk).update(status=Turn.Status.RUNNING)
        session.refresh_from_db()
        page = conversation_page(session)
        assert [view.id for view in page.messages] == [taken.pk]
        assert [view.id for view in page.waiting] == [waits.pk]

    def test_it_shows_once_when_its_message_exists(self, session: AgentSession, people: Cast) -> None:
        turn = submit_turn(session, "Do it", people.operator)
        session.refresh_from_db()
        say(session, "user", text("Do it", "input_text"), turn=turn, id=turn.pk)
        assert [view.id for view in messages(session)] == [turn.pk]

    @pytest.mark.parametrize("is_stored_first", [True, False])
    def test_it_shows_once_when_a_worker_takes_it_up_in_this_moment(
        self, session: AgentSession, people: Cast, monkeypatch: pytest.MonkeyPatch, is_stored_first: bool
    ) -> None:
        turn = submit_turn(session, "Survey it", people.operator)

        def take_up_meanwhile(of: AgentSession) -> list[MessageView]:
            waiting = [] if is_stored_first else waiting_views(of)
            say(session, "user", text("Survey it", "input_text"), turn=turn, pk=turn.pk)
            return waiting_views(of) if is_stored_first else waiting

        monkeypatch.setattr(conversation, "waiting_views", take_up_meanwhile)
        assert [message.id for message in messages(session)] == [turn.pk]

    def test_an_input_of_blocks_shows_its_text(self, session: AgentSession) -> None:
        Turn.objects.create(session=session, index=1, input=[text("Look:", "input_text"), {"type": "odd"}, 3])
        assert "Look:" in html(messages(session)[0])

    def test_the_newest_messages_fill_a_page_and_earlier_ones_the_one_before(
        self, session: AgentSession
    ) -> None:
        for number in range(PAGE_SIZE + 5):
            say(session, "user", text(f"message {number}", "input_text"))
        session.refresh_from_db()
        page = conversation_page(session)
        assert len(page.messages) == PAGE_SIZE
        assert "message 54" in html(page.messages[-1])
        assert page.earlier == 6
        before = conversation_page(session, before=page.earlier)
        assert len(before.messages) == 5
        assert before.earlier is None

    def test_a_result_is_never_separated_from_its_call(self, session: AgentSession) -> None:
        say(session, "assistant", call("c1"))
        say(session, "user", result("c1"))
        say(session, "assistant", text("Done"))
        session.refresh_from_db()
        page = conversation_page(session, limit=2)
        assert [call.state for message in page.messages for call in message.calls] == ["done"]

    def test_an_empty_conversation_is_empty(self, session: AgentSession) -> None:
        page = conversation_page(session)
        assert (page.messages, page.earlier, page.turn, page.cursor) == ([], None, None, 0)

    def test_the_turn_that_counts_is_the_unfinished_one(self, session: AgentSession, people: Cast) -> None:
        for status in (Turn.Status.SUCCEEDED, Turn.Status.RUNNING, Turn.Status.QUEUED):
            turn = submit_turn(session, "x", people.operator)
            Turn.objects.filter(pk=turn.pk).update(status=status)
        session.refresh_from_db()
        turn_view = conversation_page(session).turn
        assert turn_view is not None
        assert (turn_view.session_id, turn_view.number, turn_view.status) == (session.pk, 2, "running")
        Turn.objects.update(status=Turn.Status.FAILED, error="why")
        turn_view = conversation_page(session).turn
        assert turn_view is not None
        assert (turn_view.number, turn_view.status, turn_view.error) == (3, "failed", "why")


class TestCalls:
    def test_a_call_and_its_result_are_one(self, session: AgentSession) -> None:
        say(session, "assistant", call("c1", "count", '{"path":"a/b","deep":true}'))
        say(session, "user", result("c1", '{"files":3}'))
        view = only_call(session)
        assert (view.name, view.state, view.effect) == ("count", "done", "")
        assert view.summary == '{"path":"a/b","deep":true}'
        assert view.arguments.splitlines()[1].strip() == '"path": "a/b",'
        assert '"files": 3' in view.result
        assert len(messages(session)) == 1

    @pytest.mark.parametrize(
        ("arguments", "summary"),
        [
            ("{}", ""),
            ('{"path":"a/b"}', "a/b"),
            ('{"limit":3}', "3"),
            ('{"store":"whiteboard","key":"plan","data":{}}', "whiteboard/plan"),
            ('{"store":"whiteboard"}', "whiteboard"),
            ("[1]", "[1]"),
            ("not json", "not json"),
            ('{"path":"' + "x" * 500 + '"}', "x" * 119 + "…"),
            ('{"query":"SELECT\\n  1"}', "SELECT 1"),
        ],
    )
    def test_a_summary_is_one_short_line(self, session: AgentSession, arguments: str, summary: str) -> None:
        say(session, "assistant", call("c1", arguments=arguments))
        assert only_call(session).summary == summary

    def test_a_name_can_be_seen_whatever_the_model_wrote(self, session: AgentSession) -> None:
        say(session, "assistant", call("c1", ""), call("c2", "look\u202e"))
        assert [call.name for call in messages(session)[0].calls] == ["(no name)", "look\\u202e"]

    def test_a_failure_says_why(self, session: AgentSession) -> None:
        say(session, "assistant", call("c1"))
        say(session, "user", result("c1", {"success": False}, error="no such\nfile"))
        view = only_call(session)
        assert (view.state, view.effect) == ("failed", "no such file")

    def test_a_call_without_a_result_runs_as_long_as_its_turn(
        self, session: AgentSession, people: Cast
    ) -> None:
        turn = submit_turn(session, "x", people.operator)
        Turn.objects.update(status=Turn.Status.RUNNING)
        session.refresh_from_db()
        say(session, "assistant", call("c1"), turn=turn)
        assert only_call(session).state == "running"
        Turn.objects.update(status=Turn.Status.FAILED)
        assert only_call(session).state == "failed"

    def test_an_id_that_is_used_again_belongs_to_the_later_call(self, session: AgentSession) -> None:
        for outcome in ("first", "second"):
            say(session, "assistant", call("call_1"))
            say(session, "user", result("call_1", outcome))
        assert [call.result for message in messages(session) for call in message.calls] == ["first", "second"]

    def test_results_of_one_batch_find_their_calls(self, session: AgentSession) -> None:
        say(session, "assistant", text("Both."), call("c1"), call("c2"))
        say(session, "user", result("c2", "two"), result("c1", "one"))
        (message,) = messages(session)
        assert [call.result for call in message.calls] == ["one", "two"]
        assert [call.duration for call in message.calls] == ["", ""]

    def test_a_result_without_its_call_is_not_shown(self, session: AgentSession) -> None:
        say(session, "user", result("orphan"))
        assert messages(session) == []

    @pytest.mark.parametrize(
        ("took", "words"),
        [(timedelta(milliseconds=41), "41 ms"), (timedelta(seconds=1.24), "1.2 s"), (-timedelta(1), "0 ms")],
    )
    def test_a_single_call_tells_how_long_it_took(
        self, session: AgentSession, took: timedelta, words: str
    ) -> None:
        asked = say(session, "assistant", call("c1"))
        answered = say(session, "user", result("c1"))
        now = timezone.now()
        Message.objects.filter(pk=asked.pk).update(created_at=now)
        Message.objects.filter(pk=answered.pk).update(created_at=now + took)
        assert only_call(session).duration == words

    def test_a_huge_result_is_cut_for_the_page(self, session: AgentSession) -> None:
        say(session, "assistant", call("c1"))
        say(session, "user", result("c1", "x" * 50_000))
        view = only_call(session)
        assert len(view.result) < 21_000
        assert view.result.endswith("… 30,000 more characters")


class TestFeed:
    def test_a_snapshot_holds_the_newest_messages(self, session: AgentSession) -> None:
        one = say(session, "user", text("Hi", "input_text"))
        frame = frame_at(session, None)
        assert (frame["type"], frame["snapshot"], frame["from"], frame["to"]) == ("conversation", True, 0, 1)
        assert ids(frame) == [f"message-{one.pk}"]
        assert f'id="message-{one.pk}"' in frame["messages"][0]["html"]

    def test_a_delta_holds_new_messages_only(self, session: AgentSession) -> None:
        say(session, "user", text("Hi", "input_text"))
        two = say(session, "assistant", text("Hello"))
        frame = frame_at(session, 1)
        assert (frame["snapshot"], frame["from"], frame["to"]) == (False, 1, 2)
        assert ids(frame) == [f"message-{two.pk}"]

    def test_a_result_sends_the_message_that_called_again(self, session: AgentSession) -> None:
        say(session, "user", text("Hi", "input_text"))
        caller = say(session, "assistant", call("c1"))
        say(session, "user", result("c1", "the outcome"))
        frame = frame_at(session, 2)
        assert ids(frame) == [f"message-{caller.pk}"]
        assert "the outcome" in frame["messages"][0]["html"]

    def test_results_in_messages_of_their_own_all_reach_their_caller(self, session: AgentSession) -> None:
        caller = say(session, "assistant", call("c1"), call("c2"))
        say(session, "user", result("c1", "outcome one"))
        say(session, "user", result("c2", "outcome two"))
        frame = frame_at(session, 2)
        assert ids(frame) == [f"message-{caller.pk}"]
        assert "outcome one" in frame["messages"][0]["html"]
        assert "outcome two" in frame["messages"][0]["html"]

    def test_a_message_that_is_rewritten_keeps_its_results(self, session: AgentSession) -> None:
        caller = say(session, "assistant", call("c1"))
        say(session, "user", result("c1", "the outcome"))
        say(session, "assistant", text("Later"))
        announce(session, conversation=True)
        Message.objects.filter(pk=caller.pk).update(revision=session.revision)
        frame = frame_at(session, 3)
        assert ids(frame) == [f"message-{caller.pk}"]
        assert "the outcome" in frame["messages"][0]["html"]

    def test_too_many_changes_are_a_snapshot(self, session: AgentSession) -> None:
        say(session, "user", text("first", "input_text"))
        for number in range(PAGE_SIZE + 1):
            say(session, "user", text(f"message {number}", "input_text"))
        frame = frame_at(session, 1)
        assert frame["snapshot"] is True
        assert len(frame["messages"]) == PAGE_SIZE
        assert frame_at(session, 2)["snapshot"] is False

    def test_changes_far_apart_are_a_snapshot(self, session: AgentSession) -> None:
        first = say(session, "user", text("first", "input_text"))
        Message.objects.bulk_create(
            Message(
                session=session,
                sequence=number,
                item_id=f"old-{number}",
                role="user",
                blocks=[],
                tokens=1,
                revision=1,
            )
            for number in range(2, WIDEST_WINDOW + 3)
        )
        session.message_count = WIDEST_WINDOW + 2
        say(session, "user", text("last", "input_text"))
        Message.objects.filter(pk=first.pk).update(revision=session.revision)
        assert frame_at(session, 1)["snapshot"] is True

    @pytest.mark.parametrize("cursor", [99, "text"])
    def test_a_cursor_that_cannot_be_gets_a_snapshot(self, session: AgentSession, cursor: Cursor) -> None:
        say(session, "user", text("Hi", "input_text"))
        assert frame_at(session, cursor)["snapshot"] is True

    def test_who_has_everything_gets_nothing(self, session: AgentSession) -> None:
        say(session, "user", text("Hi", "input_text"))
        assert PART.read(session, {1}) == {}

    def test_only_people_who_may_act_get_the_controls_of_the_turn(
        self, session: AgentSession, people: Cast
    ) -> None:
        submit_turn(session, "x", people.operator)
        assert "stop-form" in frame_at(session, None, may_act=True)["turn"]
        assert "stop-form" not in frame_at(session, None)["turn"]
        assert PART.view(session.pk, Viewer(1, 1, may_act=True)) is True

    def test_a_change_of_the_turn_alone_is_a_delta(self, session: AgentSession, people: Cast) -> None:
        turn = submit_turn(session, "x", people.operator)
        stop_turn(session)
        frame = frame_at(session, 1)
        assert frame["snapshot"] is False
        assert ids(frame) == [f"message-{turn.pk}"]


class TestViews:
    """Parts whose views carry nothing that a frame of its own would have to change."""

    @pytest.mark.parametrize("part", [PART, HEAD])
    def test_a_changed_view_is_answered_with_a_snapshot(self, part: Part, session: AgentSession) -> None:
        assert part.transition(session, False, True) is None

    def test_everybody_sees_the_same_head(self, session: AgentSession) -> None:
        part: Part = HEAD
        views = {part.view(session.pk, Viewer(1, 1, may_act=may_act)) for may_act in (True, False)}
        assert len(views) == 1
