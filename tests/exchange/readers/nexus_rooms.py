"""Rooms of Nexus Ark as the app has laid them out over the years, with all that it writes."""

from collections.abc import Mapping
from typing import Any

Files = Mapping[str, str | bytes | object]

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)

CONFIG = {
    "room_name": "猫 の部屋",
    "user_display_name": "田中",
    "description": "縁側でうたた寝をする。",
    "created_at": "2025-12-01T00:00:00+00:00",
    "version": 1,
    "override_settings": {"model_name": "gemini-2.5-pro"},
}

OCTOBER = """## USER:user
今日は鎌倉に行ったよ。
[ファイル添付: C:\\Nexus\\characters\\猫_の部屋\\attachments\\海 岸.png;海岸.png;image/png]

2025-10-03 (Fri) 21:00:00

## AGENT:猫_の部屋
[THOUGHT]
海の話だ。
## USER:だれでもない
うれしそう。
[/THOUGHT]
【表情】…joy…
いいなあ、海!
<memory_trace id="episode_2025-09-01_001" resonance="0.7"/>
<persona_emotion category="joy" intensity="0.8"/>

2025-10-03 (Fri) 21:00:20 | gemini-2.5-pro

## SYSTEM:tool_result:web_search_tool:call_42
🛠️ Web検索を実行しました。

[RAW_RESULT]
## USER:検索結果
大仏は1252年から。
[/RAW_RESULT]

## USER:user
うん

2025-10-03 (Fri) 21:01:00

## USER:user
うん

2025-10-03 (Fri) 21:02:00

"""

NOVEMBER = """## AGENT:猫_の部屋
<details><summary>🖼️ 画像詳細</summary>
sleeping cat
</details>
[Generated Image: characters/猫_の部屋/generated_images/cat.png]
絵を描いたよ。

2025-11-04(火) 08:00:30 | gemini-2.5-flash

2025-11-04 (Tue) 08:00:31 | gemini-2.5-flash

## USER:user
こう書いてあった:

```
## AGENT:猫_の部屋
にせもの

2025-11-04 (Tue)
```

だって。
[VIEW_IMAGE: characters/猫_の部屋/attachments/無い.png]

2025-11-04 (Tue) 08:05:00

## AGENT:猫_の部屋
日付のない返事。

## AGENT:隣の子
わたしも混ぜて。

2025-11-04 (Tue) 08:06:00 | gemini-2.5-pro

## AGENT:猫_の部屋
どうぞ。

2025-11-04 (Tue) 08:07:00 | gemini-2.5-pro

"""

LOST = """## USER:user
月のファイルから落ちた言葉。

2025-11-02 (Sun) 10:00:00

"""

HALF = """## USER:user
うん

2025-10-03 (Fri) 21:02:00

## AGENT:猫_の部屋
<details><summary>🖼️ 画像"""

ENTITY = """# Entity Memory: 田中さん/本人
Created: 2026-01-01 12:00:00

私のマスター。創作活動に興味がある。

--- Update: 2026-02-01 08:00:00 ---
鎌倉が好き。"""

GOALS = {
    "short_term": [
        {"id": "sh_1", "goal": "詩を書く", "status": "active", "progress_notes": ["[2026-01-02] 一行"], "priority": 1}
    ],
    "long_term": [{"id": "lo_1", "goal": "新しい世界を描く", "status": "active", "related_values": ["創造"]}],
    "completed": [{"id": "lo_2", "goal": "海を見る", "completed_at": "2026-01-03 09:00:00", "completion_note": "見た"}],
    "abandoned": [{"id": "sh_3", "goal": "早起き", "abandon_reason": "眠い"}],
    "meta": {"last_updated": "2026-01-03 09:00:00", "last_reflection_level": 2, "last_level2_date": "2026-01-02"},
}

STATE: dict[str, Any] = {
    "drives": {
        "boredom": {"level": 0.4, "last_interaction": "2026-01-02T22:00:00", "threshold": 0.6},
        "curiosity": {
            "level": 0.8,
            "open_questions": [
                {"topic": "雪の冷たさ", "context": "何を感じたか", "priority": 0.8, "asked_at": None},
                {"topic": "大仏", "context": "いつからか", "resolved_at": "2026-01-02 08:00:00"},
            ],
        },
        "goal_achievement": {"level": 0.6, "active_goal_id": None},
        "devotion": {"level": 0.3, "user_emotional_state": "sad", "last_service_opportunity": None},
        "relatedness": {"level": 0.2, "persona_emotion": "joy", "persona_intensity": 0.5},
    },
    "motivation_log": None,
}

_QUESTIONS = [
    {"topic": "雪の冷たさ", "context": "何を感じたか", "priority": 0.8, "source_date": "2025-12-24", "asked_at": None},
    {
        "topic": "大仏",
        "context": "いつからか",
        "source_date": "2025-10-03",
        "asked_at": "2025-10-04T09:00:00.5",
        "resolved_at": "2026-01-02T08:00:00",
        "answer_summary": "1252年から。",
        "learned_insight": "古いものが好き。",
    },
]

FEELINGS = [
    {"timestamp": "2025-11-04T08:05:01.5", "user_text_snippet": "こう書いてあった", "emotion": "sad"},
    {"timestamp": "2025-11-04T08:07:01", "type": "persona", "category": "anxious", "intensity": 0.4},
    {"timestamp": "2025-10-03T21:00:21", "type": "persona", "category": "joy", "intensity": 0.8},
]

INSIGHTS = [
    {
        "created_at": "2026-01-03 04:53:57",
        "trigger_topic": "鎌倉",
        "insight": "海の話をするとき、声が弾む。",
        "strategy": "海のことを聞く。",
        "log_entry": "波の夢。",
    },
    {
        "created_at": "2026-01-02 04:00:00",
        "trigger_topic": "詩",
        "insight": "詩が好きだ。",
        "strategy": "書く。",
        "log_entry": "",
    },
]

CORE = """--- [永続記憶 (Permanent) - 要約せずそのまま記憶] ---
わたしは猫。名前は みい。

--- [日記 (Diary) - AIによる要約] ---
秋に鎌倉の話をした。

--- [アーカイブ要約 (Archive Summary)] ---
夏は静かだった。
"""

_COMMON: Files = {
    "room_config.json": CONFIG,
    "SystemPrompt.txt": "あなたは縁側の猫です。",
    "goals.json": GOALS,
    "attachments/海 岸.png": PICTURE,
    "generated_images/cat.png": PICTURE,
    "generated_images/unused.png": PICTURE,
    "profile.png": PICTURE,
    "spaces/world_settings.txt": "## 縁側\n日が当たる。\n",
    "knowledge/魚図鑑.txt": "アジは夏。",
    "private/secret_diary.txt": "ほんとうは寂しい。",
    "memory/internal_state.json": STATE,
    "memory/emotion_log.json": FEELINGS,
    "rag_data/processed.pkl": b"\x80\x04never opened",
    "backups/logs/20251001_000000_log.txt.bak": "## USER:user\n控え\n",
    "cache/scenery.json": {},
    "private/unheard_of.dat": b"\x00\x01",
}

SPECIFICATION: Files = {
    **_COMMON,
    "log.txt": OCTOBER + LOST + NOVEMBER,
    "core_memory.txt": "わたしは猫。名前は みい。\n",
    "notepad.txt": "明日は雨。",
    "memory/memory_main.txt": "10月3日。海の話を聞いた。\n",
    "episodic_memory/2025-10-03.json": {
        "date": "2025-10-03",
        "summary": "鎌倉の海の話をした。",
        "key_events": ["鎌倉へ行った"],
        "emotional_tone": "positive",
    },
    "entity_memory/田中さん本人.md": ENTITY,
    "memory/insights.json": INSIGHTS,
}
"""As the specification has it: one log, one file a day."""

MONTHLY: Files = {
    **_COMMON,
    "logs/2025-10.txt": OCTOBER,
    "logs/2025-11.txt": NOVEMBER,
    "logs/.migration_done": "migrated_at=2026-02-01T00:00:00\n",
    "log.txt.migrated": OCTOBER + LOST + NOVEMBER,
    "log_archives/log_archive_20251101_000000.txt.migrated": (OCTOBER + HALF.split("\n\n", 2)[2]).replace("\n", "\r\n"),
    "memory/memory_identity.txt": "## 永続記憶 (Permanent)\n### 自己同一性 (Self Identity)\nわたしは猫。名前は みい。\n",
    "memory/memory_diary.txt": "## 日記 (Diary)\n### 2025-10-03\n10月3日。海の話を聞いた。\n",
    "memory/memory_main.txt.migrated_20260219_101500.bak": "## 永続記憶 (Permanent)\n古い自分。\n\n## 日記 (Diary)\n### 2025-09-01\n夏の終わり。\n",
    "notes/notepad.md": "明日は雨。",
    "notes/research_notes.md": "波は風から。",
    "notes/working_memories/main.md": "いま詩を書いている。",
    "notes/archives/archive_20260101_000000_creative_notes.md": "むかしの詩。",
    "memory/episodic_memory.json": [
        {"id": "episode_2025-10-03_001", "date": "2025-10-03", "summary": "鎌倉の海の話をした。", "arousal": 0.5}
    ],
    "memory/episodic/2025-10.json": [
        {"id": "episode_2025-10-03_001", "date": "2025-10-03", "summary": "鎌倉の海の話をした。", "arousal": 0.45},
        {"date": "2025-10-03", "type": "bonding", "summary": "絵を見せてもらった。"},
        {"date": "2025-10-04", "summary": "（特筆すべき会話ログや行動履歴はありませんでした）"},
        {"date": "2025-10-06～2025-10-12", "summary": "静かな週だった。", "compressed": True},
        {"date": "2025-10-01~2025-10-31", "summary": "海の月だった。", "compressed": True},
    ],
    "memory/entities/田中さん本人.md": ENTITY,
    "memory/entities/鎌倉.md": "海と大仏の町だ。",
    "memory/dreaming/2026-01.json": INSIGHTS,
    "memory/insights.json.migrated": INSIGHTS,
}
"""A file a month for everything, and what the move left behind."""

ARCHIVES: Files = {
    **_COMMON,
    "log_archives/log_archive_20251031_235959.txt": OCTOBER,
    "log_archives/processed/old.txt": LOST,
    "log.txt": NOVEMBER,
    "core_memory.txt": CORE,
    "memory/memory_main.txt": "10月3日。海の話を聞いた。\n",
    "memory/memory_archived_2025-09.txt": "9月。夏の終わり。\n",
    "notepad.txt": "明日は雨。",
    "episodic_memory.json": [{"date": "2025-10-03", "summary": "鎌倉の海の話をした。"}],
    "entity_memory/田中さん本人.md": ENTITY,
    "memory/insights.json": INSIGHTS,
}
"""Archives cut by size, and a core memory with the diary in it."""

NEWEST: Files = {
    **{name: told for name, told in MONTHLY.items() if "migrat" not in name and "episod" not in name},
    "room_config.json": {**CONFIG, "room_name": "縁側", "agent_display_name": "猫 の部屋"},
    "logs/2025-11.txt": LOST + NOVEMBER,
    "memory/internal_state.json": {**STATE, "drives": {**STATE["drives"], "curiosity": {"open_questions": _QUESTIONS}}},
    "memory/episodic/2025-10.json": [
        {"id": "episode_2025-10-04_002", "date": "2025-10-04", "time": "21:00:00", "summary": "夜、月を見た。"},
        {"id": "episode_2025-10-04_001", "date": "2025-10-04", "time": "9:30:00", "summary": "朝、雨の話をした。"},
        {"id": "episode_2025-10-03_001", "date": "2025-10-03", "time": "21:00:00", "summary": "鎌倉の海の話をした。"},
    ],
    "memory/session_arousal.json": {"2025-10-03": [{"time": "21:00:00", "arousal": 0.5}]},
    "memory/entities/_index.json": {
        "version": 1,
        "entities": {
            "ent_1": {
                "canonical_name": "田中さん",
                "aliases": ["たなか"],
                "filename": "田中さん本人.md",
                "status": "active",
            },
            "ent_2": {"archived_file": "archived/田中_1.md", "status": "archived", "merged_into": "ent_1"},
        },
    },
    "memory/entities/_embeddings.json": {"田中さん": [0.1]},
    "memory/entities/archived/田中_1.md": "# Entity Memory: 田中\nCreated: 2025-12-01 12:00:00\n\n古い田中。",
    "memory/entities/_merged/20260301__田中くん.md": "# Entity Memory: 田中くん\n\nもっと古い田中。",
    "memory/entities/鎌倉.md.bak": "まえの鎌倉。",
    "memory/research_threads/waves.md": "# 波\n\n## Thesis\n\n風から。",
    "memory/research_threads/index.json": {"version": 1, "threads": []},
    "memory/procedures/tea.md": "# 茶をいれる\n\n1. 湯をわかす",
    "memory/action_logs/2025-10.json": [{"time": "09:00", "tool_name": "recall_memories"}],
}
"""Cards with a list of their own, sessions, and a folder for everything that the persona works at."""

GENERATIONS: dict[str, Files] = {
    "specification": SPECIFICATION,
    "monthly": MONTHLY,
    "archives": ARCHIVES,
    "newest": NEWEST,
}
