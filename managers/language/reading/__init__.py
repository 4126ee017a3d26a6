"""Reading a sentence: what it does, asks, wishes, and whom and when it speaks of. Nothing else in the program reads one.

- `reading.read(text, lang)` gives a `Reading`: the sentences of a message, each with what it does (`act`), whether it
  asks (`is_question`) and after what (`asks`), its words and its terms. What is read is kept with the sentence.
- `rules` holds the rules themselves: `assets/language/{ja,en}/<topic>.toml`, patterns with examples. `fits(lang, topic,
  name, text)` tries one, `first_fit` a whole file.
- `managers.language.lexicons.word_list(lang, name)` gives a list of words, such as `colours` or `relatives`.
"""
