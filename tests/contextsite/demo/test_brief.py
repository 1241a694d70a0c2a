from agents.connectors.base import Done, ModelRequest
from contextsite.demo.brief import MAX_LINES, brief_of
from contextsite.demo.survey import SurveyConnector


def asked(*texts: str) -> ModelRequest:
    content = [{"type": "input_text", "text": text} for text in texts]
    return ModelRequest(
        [{"type": "message", "id": "1", "role": "user", "content": content}],
        (),
        "survey",
        may_call_tools=False,
    )


def test_a_brief_is_the_first_line_of_each_message() -> None:
    brief = brief_of(asked("Write.\n```\nuser: Count it\nplease\n\nassistant: Done, 7 files.\n```"))
    assert brief == "First lines of 2 messages:\n- user: Count it\n- assistant: Done, 7 files."


def test_calls_and_results_are_left_out_and_long_lines_cut() -> None:
    brief = brief_of(asked(f"assistant: (calls list_files with {{}})\n\nuser: {'x' * 500}"))
    assert brief.splitlines()[1] == f"- user: {'x' * 160}"


def test_a_long_conversation_keeps_its_ends() -> None:
    brief = brief_of(asked("\n\n".join(f"user: message {n}" for n in range(100))))
    assert len(brief.splitlines()) == MAX_LINES + 1
    assert "message 0" in brief
    assert "message 99" in brief


def test_nothing_said_is_said() -> None:
    assert brief_of(asked("")) == "Nothing was said yet."


def test_the_survey_answers_in_words_when_it_must_not_call_tools() -> None:
    *_, last = SurveyConnector(lambda: None).stream(asked("user: Hello"))
    assert isinstance(last, Done)
    assert "Hello" in str(last.output)
