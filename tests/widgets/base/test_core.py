"""The base of all widgets, by a small counter: traits, work in threads, errors, and messages of the page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypedDict

import pytest
from traitlets import TraitType

from bnlab.widgets.base.controls import Controls, button, message
from bnlab.widgets.base.modules import linked
from bnlab.widgets.base.parts import Composite
from bnlab.widgets.base.pure import Effect, Failed, Message, Set, Stop, Told


@dataclass(frozen=True)
class State:
    number: int = 0
    word: str = ""
    status: str = ""


class Add(Message):
    by: int


class Work(Effect, channel="work", failure="No work"):
    act: Any

    def run(self, send: Any, stopped: Any) -> Any:
        return self.act(send, stopped)


class Begin(Message):
    act: Any


class AddAndBegin(Message):
    by: int
    act: Any


class End(Message):
    pass


class Page(TypedDict):
    text: str


def update(state: State, message: Any) -> tuple[State, list[Any]]:
    match message:
        case Set("number", value) if value < 0:
            raise ValueError("less than nothing")
        case Set(name, value):
            return replace(state, **{name: value}), []
        case Add(by):
            return replace(state, number=state.number + by), []
        case Begin(act):
            return state, [Work(act)]
        case AddAndBegin(by, act):
            return replace(state, number=state.number + by), [Work(act)]
        case End():
            return state, [Stop("work")]
        case Told(text):
            return replace(state, status=text), []
        case Failed():
            return state, []
    raise TypeError(message)


def page(state: State) -> Page:
    return {"text": f"{state.number} " + state.word}


class Counter(Composite):
    update, page, still = staticmethod(update), staticmethod(page), staticmethod(lambda state: f"<b>{state.number}</b>")
    public = ("number", "word")

    def __init__(self, state: State | None = None) -> None:
        self.controls = Controls("Counter")
        super().__init__(state or State(), children=[self.controls])
        self._show(page(self.state))
        self.controls.on_change(lambda id, value: self.handle(lambda: {"add": Add, "begin": Begin}[id](value)))

    def _show(self, page: Mapping[str, Any]) -> None:
        self.controls.show([[message("text", page["text"]), button("add", "Add")]])

    @property
    def text(self) -> str:
        """What the page shows."""
        return str(self.controls.control("text")["text"])


def use(widget: Counter, id: str, value: Any) -> None:
    """What the page sends."""
    widget.controls._handle_custom_msg({"type": "control", "id": id, "value": value}, [])


def test_traits_mirror_the_state() -> None:
    counter, seen = Counter(), []
    counter.observe(lambda change: seen.append((change["name"], change["new"])), ["number", "word"])
    counter.number = 3
    assert (counter.state.number, counter.text) == (3, "3 ")
    with pytest.raises(ValueError, match="less than nothing"):
        counter.number = -1
    assert (counter.number, counter.state.number) == (3, 3)
    assert seen == [("number", 3)]
    assert isinstance(Counter.number, TraitType)


def test_none_reaches_the_state_too() -> None:
    counter = Counter()
    with pytest.raises(TypeError):
        counter.word = None
    assert counter.state.word == ""


def test_a_value_that_the_page_cannot_show_changes_nothing() -> None:
    counter = Counter()
    with pytest.raises(TypeError):
        counter.word = 3
    assert (counter.word, counter.state.word, counter.text) == ("", "", "0 ")


def test_an_observer_may_set_another_trait() -> None:
    counter = Counter()
    counter.observe(lambda change: setattr(counter, "word", "odd" if change["new"] % 2 else "even"), "number")
    counter.number = 3
    assert (counter.text, counter.word) == ("3 odd", "odd")


def test_work_begins_even_if_an_observer_fails() -> None:
    counter, begun = Counter(), Event()
    counter.observe(lambda change: 1 / 0, "number")
    with pytest.raises(ZeroDivisionError):
        counter.dispatch(AddAndBegin(1, lambda *_: begun.set()))
    assert begun.wait(60)
    assert counter.state.number == 1


def test_two_widgets_that_set_each_other_from_two_threads_do_not_wait_for_ever() -> None:
    one, other = Counter(), Counter()
    one.observe(lambda change: setattr(other, "number", change["new"]), "number")
    other.observe(lambda change: setattr(one, "number", change["new"]), "number")
    threads = [Thread(target=lambda w=w: [w.dispatch(Add(1)) for _ in range(100)], daemon=True) for w in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert one.number == other.number == 200


@pytest.mark.parametrize(
    ("id", "value", "number", "words"),
    [("add", 2, 2, ""), ("add", "two", 0, "Not done: unsupported operand"), ("other", 1, 0, "Not done: 'other'")],
)
def test_each_message_of_the_page_is_answered(id: str, value: Any, number: int, words: str) -> None:
    counter = Counter()
    use(counter, id, value)
    assert counter.number == number
    assert words in counter.state.status
    assert bool(words) == bool(counter.state.status)


def test_work_sends_messages_and_its_error_is_shown_and_raised() -> None:
    counter = Counter()
    counter.call(Begin(lambda send, _: (send(Add(1)), Add(2))[1]))
    assert counter.number == 3
    with pytest.raises(ZeroDivisionError):
        counter.call(Begin(lambda *_: 1 / 0))
    assert counter.state.status == "No work: division by zero"
    counter.call(Add(1))
    assert counter.number == 4


def test_work_stops_the_earlier_one_of_its_channel_and_begins_after_its_end() -> None:
    counter, begun, order = Counter(), Event(), []

    def first(_: Any, stopped: Callable[[], bool]) -> None:
        begun.set()
        while not stopped():
            pass
        order.append("first")

    counter.dispatch(Begin(first))
    assert begun.wait(60)
    assert not counter.wait(0.01)
    counter.dispatch(Begin(lambda *_: order.append("second")))
    assert counter.wait(60)
    assert order == ["first", "second"]


@pytest.mark.parametrize(("end", "number"), [(lambda counter: counter.dispatch(End()), 1), (Counter.close, 0)])
def test_stop_and_close_end_work(end: Callable[[Counter], None], number: int) -> None:
    counter = Counter()
    counter.dispatch(Begin(lambda _, stopped: ([None for _ in iter(stopped, True)] and Add(1)) or Add(1)))
    end(counter)
    assert counter.wait(60)
    assert counter.number == number
    counter.close()
    counter.close()


def test_python_ends_after_the_work_of_closed_widgets() -> None:
    code = """
import atexit, threading, time
atexit.register(lambda: print([thread.name for thread in threading.enumerate() if "bnlab " in thread.name]))
from test_core import Begin, Counter
counter = Counter()
counter.dispatch(Begin(lambda _, stopped: [time.sleep(0.01) for _ in iter(stopped, True)]))
counter.close()
counter.dispatch(Begin(lambda _, stopped: [time.sleep(0.01) for _ in iter(stopped, True)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_notebook_without_a_kernel_has_the_still_form() -> None:
    bundle = Counter(State(7))._repr_mimebundle_()
    assert bundle["text/html"].startswith("<b>7</b>")
    assert "Counter" in bundle["text/plain"]


def test_a_refused_widget_leaves_no_traceback_behind(capsys: pytest.CaptureFixture[str]) -> None:
    class Refusing(Counter):
        def __init__(self) -> None:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Refusing()
    refused = Refusing.__new__(Refusing)
    refused.__del__()
    assert capsys.readouterr().err == ""


def test_modules_come_after_what_they_import_and_equal_ones_have_equal_keys() -> None:
    panel, graph = linked("widgets/base/page/controls_view.js"), linked("widgets/graph/page/view.js")
    for found in (panel, graph):
        known: dict[str, str] = {}
        for key, name, text, uses in found:
            assert set(uses.values()) <= set(known.values()), name
            assert all(f'"{path}"' in text for path in uses)
            known[name] = key
    shared = {name: key for key, name, *_ in panel}.items() & {name: key for key, name, *_ in graph}.items()
    assert "widgets/base/page/elements.js" in dict(shared)
