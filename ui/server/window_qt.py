"""What pywebview's Qt window lacks: downloads and permissions of Qt 6, notifications, the person's language."""

from pathlib import Path
from typing import Any

_MODULE = "webview.platforms.qt"


def name_application(name: str) -> None:
    """Tell Qt what the program is called; its folders and windows bear that name. Without Qt nothing happens."""
    try:
        from qtpy.QtCore import QCoreApplication  # noqa: PLC0415  # comes with the extra, where Qt is the engine
    except ImportError:
        return  # the system's own engine opens the window
    QCoreApplication.setApplicationName(name)


def mend_qt(window: Any, language: str) -> None:  # noqa: ANN401  # pywebview's window, which has no types
    """Mend a window that is about to be shown, if it is one of Qt's; called on the thread of its loop."""
    native = window.native
    if type(native).__module__ != _MODULE:
        return
    page = native.webview.page()
    profile = page.profile()
    profile.setHttpAcceptLanguage(language)
    # On the disk, Qt would keep what was shown (faces, pictures of a conversation) outside of the data folder.
    profile.setHttpCacheType(type(profile).HttpCacheType.MemoryHttpCache)
    # pywebview 6 answers downloads and questions for permission in the words of Qt 5, which Qt 6 does not understand.
    profile.downloadRequested.disconnect(native.on_download_requested)
    profile.downloadRequested.connect(lambda download: _save(native, download))
    page.featurePermissionRequested.disconnect()
    _let_notify(native, page, profile)


def _save(native: Any, download: Any) -> None:  # noqa: ANN401  # Qt's
    """Ask where a download shall go; without an answer there is none."""
    from qtpy.QtWidgets import QFileDialog  # noqa: PLC0415  # comes with the extra

    suggested = Path(download.downloadDirectory()) / download.downloadFileName()
    chosen, _ = QFileDialog.getSaveFileName(native, "", str(suggested))
    if not chosen:
        download.cancel()
        return
    path = Path(chosen)
    download.setDownloadDirectory(str(path.parent))
    download.setDownloadFileName(path.name)
    download.accept()


def _let_notify(native: Any, page: Any, profile: Any) -> None:  # noqa: ANN401  # Qt's
    """Show notifications through the system's tray, where it has one; nothing else is permitted to a page."""
    from qtpy.QtWidgets import QSystemTrayIcon  # noqa: PLC0415  # comes with the extra

    can_show = QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()

    def answer(asked: Any) -> None:  # noqa: ANN401  # Qt's
        if can_show and asked.permissionType() is type(asked).PermissionType.Notifications:
            asked.grant()
        else:
            asked.deny()

    page.permissionRequested.connect(answer)
    if can_show:
        tray = QSystemTrayIcon(native.windowIcon(), native)
        profile.setNotificationPresenter(lambda notification: _present(native, tray, notification))


def _present(native: Any, tray: Any, notification: Any) -> None:  # noqa: ANN401  # Qt's
    def come_forward() -> None:
        tray.messageClicked.disconnect(come_forward)
        native.showNormal()
        native.activateWindow()
        notification.click()

    tray.show()
    tray.messageClicked.connect(come_forward)
    tray.showMessage(notification.title(), notification.message())
    notification.show()
