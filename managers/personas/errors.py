"""What cannot be done with personas."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class PersonaNotFoundError(UtataneError):
    """No persona of that name in the home folder."""

    ja = "「{name}」というペルソナは見つかりません。`personas list` で名前を確かめてください。"
    en = 'There is no persona "{name}". See `personas list` for the names.'


class PersonaExistsError(UtataneError):
    """A persona of that name is there already."""

    ja = "「{name}」というペルソナはもういます。別の名前を選んでください。"
    en = 'There already is a persona "{name}". Choose another name.'


class GuestError(UtataneError):
    """A folder is there that nobody let in on this computer; nothing in it was opened. Facts: `name`."""

    # No name in the command: a folder may be called anything, and people copy what they are told to type.
    ja = (
        "「{name}」のフォルダーは、このコンピューターではまだ確認していません。"
        "`personas admit` か、ページの「確認待ち」で、中身を見てから迎えてください。"
    )
    en = (
        'The folder "{name}" is a guest: nobody has let it in on this computer yet. See what is in it and let it in with '
        '`personas admit`, or under "Waiting for your yes" on the page.'
    )


class NotAdmissibleError(UtataneError):
    """A guest cannot be let in as it is. Facts: `name`, `reason_ja`, `reason_en`."""

    ja = "「{name}」を迎えられません。{reason_ja}"
    en = '"{name}" cannot be let in. {reason_en}'


class ChangedSinceShownError(UtataneError):
    """A folder asks for other settings than those that were said yes to; nothing was changed. Facts: `name`."""

    ja = "「{name}」の設定は、お見せしたあとに変わりました。もう一度、確かめてください。"
    en = 'The settings of "{name}" have changed since they were shown. Look at them again.'


class ShrinkRefusedError(UtataneError):
    """A write would shrink a log or empty a memory without an explicit delete."""

    ja = "「{path}」の中身が失われる書き込みだったので、止めました。何も変わっていません。"
    en = 'Writing "{path}" would have lost what is in it, so nothing was changed.'


class AvatarRefusedError(UtataneError):
    """A picture cannot be used as an avatar: the reason says why."""

    ja = "この画像は使えません。{reason_ja}"
    en = "This picture cannot be used: {reason_en}"


class NotInTrashError(UtataneError):
    """Nothing of that name lies in the trash."""

    ja = "「{name}」はゴミ箱にありません。`personas list` で確かめてください。"
    en = '"{name}" is not in the trash. See `personas list`.'


class BrokenPersonaFileError(UtataneError):
    """A persona's `persona.json` has a mistake in it and was not changed because of that."""

    ja = "「{name}」の persona.json に書き間違いがあります({cause})。直すまでは初期設定で動きます。"
    en = 'The persona.json of "{name}" has a mistake ({cause}). Until it is mended the defaults are used.'
