"""What opens the page is changed on the page: whoever does it stays in, everybody else comes in anew."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.access import Access
from tests.ui.reading import press, read
from tests.ui.visitors import ORIGIN, stranger_to, visitor_of

PASSWORD = "とても長いひみつ"


DESK = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Safari/604.1"


def visitor(services: Services, password: str = "") -> TestClient:
    browser = visitor_of(services, password)
    browser.headers["accept-language"] = "ja"
    return browser


def test_a_new_address_shuts_the_old_one_and_the_page_is_kept_by_nobody(services: Services) -> None:
    browser, old = visitor(services), Access(services.home).token
    answer = browser.get("/access")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "<script" not in answer.text
    page = read(answer)
    assert old in page.one("input[readonly]").attributes["value"]
    changed = read(press(browser, page, 'form[action="/access/address"] button'))
    assert "これが新しいアドレスです" in changed.one('[role="status"]').text
    new = Access(services.home).token
    assert new != old
    assert new in changed.one("input[readonly]").attributes["value"]
    assert browser.get("/p/Hazel/").status_code == 200  # who changes it stays in


def test_a_password_is_set_asked_for_and_removed(services: Services) -> None:
    browser = visitor(services)
    page = read(browser.get("/access"))
    short = press(browser, page, 'form[action="/access/password"] button', new="短い")
    assert short.status_code == 400
    kept = read(press(browser, page, 'form[action="/access/password"] button', new=PASSWORD))
    assert "この合言葉をたずねます" in kept.one('[role="status"]').text
    remove = 'form[action="/access/no-password"] button'
    wrong = press(browser, kept, remove, current="ちがうひみつ")
    assert (wrong.status_code, read(wrong).one('[role="alert"]').text) == (403, "合言葉が違うようです。")
    gone = read(press(browser, kept, remove, current=PASSWORD))
    assert "もう合言葉はたずねません" in gone.one('[role="status"]').text
    assert not Access(services.home).needs_password


def test_a_given_password_is_changed_and_visits_are_ended_with_their_windows(services: Services) -> None:
    browsers = desk, phone, strange = [stranger_to(services, PASSWORD) for _ in range(3)]
    for browser, agent in zip(browsers, (DESK, PHONE, "<script>Utatane</script>"), strict=True):
        browser.headers |= {"user-agent": agent, "accept-language": "ja", "accept": "text/html"}
        assert browser.post("/login", data={"password": PASSWORD}).status_code == 303
    page = read(desk.get("/access"))
    assert "UTATANE_PASSWORD" in page.text
    assert {form.attributes["action"] for form in page.all("form")} == {"/access/log-out"}
    assert desk.post("/access/password", data={"new": "ほかのながいひみつ", "current": PASSWORD}).status_code == 409
    names = ["ほかの機器のほかのブラウザー", "iPhoneのSafari", "WindowsのFirefox (このブラウザー)"]
    assert [one.partition(" 入ったのは")[0] for one in page.texts("form p")[-3:]] == names
    with phone.websocket_connect(f"{ORIGIN.replace('http', 'ws')}/p/Hazel/live", headers={"origin": ORIGIN}) as window:
        ended = read(press(desk, page, 'button[aria-label="iPhoneのSafariをログアウト"]'))
        while (told := window.receive())["type"] != "websocket.close":
            pass
    assert told["code"] == 4401
    assert "ログアウトさせました" in ended.one('[role="status"]').text
    assert [browser.get("/access").status_code for browser in browsers] == [200, 401, 200]
    assert (
        press(
            desk, ended, 'form[action="/access/log-out"] button[aria-label="WindowsのFirefoxをログアウト"]'
        ).status_code
        == 401
    )
    assert strange.post("/access/log-out").headers["location"] == "/"  # everywhere, here too
    assert [browser.get("/access").status_code for browser in browsers] == [401, 401, 401]
