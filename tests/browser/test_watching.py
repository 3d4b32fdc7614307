"""The watch over every window sees what it is there for."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.watching import Watch


def faults(browser: Browser, script: str, forgive: str = "") -> list[str]:
    context = browser.new_context()
    watch = Watch(context, forgive)
    page = context.new_page()
    page.goto("about:blank")
    page.add_script_tag(content=f"{script}; setTimeout(() => (window.over = true), 50)")
    page.wait_for_function("window.over")
    context.close()
    return watch.faults


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("console.error('ink spilled')", "console error: ink spilled"),
        ("setTimeout(() => { throw new Error('ink spilled') })", "error in the page: ink spilled"),
        ("new Image().src = 'http://elsewhere.invalid/a.png'", "leaves this machine: http://elsewhere.invalid/a.png"),
        ("try { new WebSocket('ws://elsewhere.invalid/') } catch {}", "leaves this machine: ws://elsewhere.invalid/"),
    ],
)
def test_a_fault_is_seen(browser: Browser, script: str, fault: str) -> None:
    assert any(fault in seen for seen in faults(browser, script))


def test_what_is_well_is_no_fault(browser: Browser) -> None:
    assert faults(browser, "console.log('well'); console.warn('nearly'); new Image().src = 'data:image/gif;,'") == []
    assert faults(browser, "console.error('ink spilled')", forgive="^ink") == []
