"""Plots as SVG, for docs/performance.md: points in rows, and lines. Nothing but the standard library.

Colours are of Okabe and Ito's palette, which colour-blind people tell apart, and every series has a shape of its own. Each picture has a
background, which follows the reader's light or dark setting.
"""

import html
import math

WIDTH = 860
FONT = "font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"
LIGHT = ("#0072b2", "#d55e00", "#009e73", "#a0569a")
DARK = ("#56b4e9", "#ff9a4d", "#2fd0a3", "#e39ac5")
SHAPES = ("circle", "square", "triangle", "diamond")


def _style():
    def rules(background, text, faint, colours):
        marks = "".join(f".s{number}{{fill:{colour};stroke:{colour}}}" for number, colour in enumerate(colours))
        return (
            f".back{{fill:{background}}}text{{fill:{text}}}.faint{{stroke:{faint}}}.axis{{stroke:{text}}}.small{{fill:{text};opacity:.8}}{marks}"
            f".mark{{stroke:{background}}}"
        )

    return (
        f"<style>text{{{FONT};font-size:13px}}.title{{font-size:16px;font-weight:600}}.small{{font-size:12px}}"
        f".faint,.axis{{stroke-width:1}}.line{{fill:none!important;stroke-width:2}}.mark{{stroke-width:.8}}"
        f"{rules('#ffffff', '#1f2328', '#d8dee4', LIGHT)}"
        f"@media(prefers-color-scheme:dark){{{rules('#0d1117', '#e6edf3', '#30363d', DARK)}}}</style>"
    )


def _picture(title, description, height, parts):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="t d">\n<title id="t">{html.escape(title)}</title>\n<desc id="d">{html.escape(description)}</desc>\n{_style()}\n'
        f'<rect class="back" width="{WIDTH}" height="{height}" rx="6"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x, y, text, anchor="start", kind="", turn=None):
    kind = f' class="{kind}"' if kind else ""
    turn = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn is not None else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}{turn}>{html.escape(text)}</text>'


def _line(x1, y1, x2, y2, kind, dashed=False):
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"{dashes}/>'


def _mark(x, y, series, tip=""):
    kind, size = f'class="s{series} mark"', 4.6
    tip = f"<title>{html.escape(tip)}</title>" if tip else ""
    shape = SHAPES[series % len(SHAPES)]
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" {kind}>{tip}</circle>'
    if shape == "square":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" {kind}>{tip}</rect>'
    corners = [(0, -5.4), (5.2, 4.2), (-5.2, 4.2)] if shape == "triangle" else [(0, -5.8), (5.8, 0), (0, 5.8), (-5.8, 0)]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" {kind}>{tip}</polygon>'


def _number(value):
    return f"{value:,.0f}".replace(",", " ") if value >= 10 else f"{value:g}"


class Axis:
    """Places of numbers between two ends of the picture, linear or logarithmic, with ticks."""

    def __init__(self, numbers, first, last, log, around=None):
        numbers = [*numbers, *([around] if around else [])]
        low, high = min(numbers), max(numbers)
        self._log, self._first, self._last = log, first, last
        if log:
            self._low, self._high = math.log10(low) - 0.04, math.log10(high) + 0.04
        else:
            self._low, self._high = min(0.0, low), high * 1.04

    def place(self, number):
        at = math.log10(number) if self._log else number
        return self._first + (at - self._low) / (self._high - self._low) * (self._last - self._first)

    def ticks(self):
        if not self._log:
            whole = self._high - self._low
            power = 10 ** math.floor(math.log10(whole))
            step = next(power / part for part in (1, 2, 5, 10) if whole / power * part >= 5)
            return [step * number for number in range(math.ceil(self._low / step), math.floor(self._high / step) + 1)]
        decades = self._high - self._low
        steps = (1, 2, 3, 5, 7) if decades < 0.9 else (1, 2, 5) if decades < 3 else (1,)
        powers = range(math.floor(self._low), math.ceil(self._high) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        return [tick for tick in ticks if self._low <= math.log10(tick) <= self._high]


def _legend(names, x, y):
    parts = []
    for series, name in enumerate(names):
        parts += [_mark(x + 6, y - 4, series), _text(x + 17, y, name)]
        x += 36 + 7.2 * len(name)
    return parts


def dots(title, subtitle, x_label, rows, series, log=True, around=1.0):
    """Points in named rows, one line of points for each of the `series`. `rows` is a list of (name, list over the series of lists of
    (value, tip)); `around` is a value to be marked."""
    left, right, top, lane = 44 + 7.4 * max(len(name) for name, _ in rows), WIDTH - 24, 96 if len(series) > 1 else 70, 17
    row_height = max(26, lane * len(series) + 10)
    bottom = top + row_height * len(rows)
    axis = Axis([value for _, lanes in rows for lane in lanes for value, _ in lane], left, right, log, around)
    parts = [_text(20, 30, title, kind="title"), _text(20, 50, subtitle, kind="small")]
    if len(series) > 1:
        parts += _legend(series, 20, 76)
    for tick in axis.ticks():
        x = axis.place(tick)
        parts += [_line(x, top, x, bottom, "faint"), _text(x, bottom + 18, _number(tick), "middle", "small")]
    if around is not None:
        parts.append(_line(axis.place(around), top - 4, axis.place(around), bottom, "axis", dashed=True))
    for number, (name, lanes) in enumerate(rows):
        begin = top + number * row_height
        if number:
            parts.append(_line(20, begin, right, begin, "faint"))
        parts.append(_text(left - 14, begin + row_height / 2 + 4, name, "end"))
        for which, points in enumerate(lanes):
            y = begin + row_height / 2 + (which - (len(series) - 1) / 2) * lane
            parts += [_mark(axis.place(value), y, which, tip) for value, tip in points]
    parts += [_line(left, bottom, right, bottom, "axis"), _text((left + right) / 2, bottom + 40, x_label, "middle")]
    return _picture(title, f"{subtitle} {x_label}.", bottom + 56, parts)


def lines(title, subtitle, x_label, panels):
    """Panels side by side, all over the same logarithmic x. A panel is (y_label, log, list of (series name, list of (x, y)))."""
    top, bottom, gap = 96, 360, 78
    width = (WIDTH - 12 - (gap + 16) * len(panels)) / len(panels)
    names = list(dict.fromkeys(name for _, _, series in panels for name, _ in series))
    parts = [_text(20, 30, title, kind="title"), _text(20, 50, subtitle, kind="small"), *_legend(names, 20, 76)]
    for number, (y_label, log, series) in enumerate(panels):
        left = gap + number * (width + gap + 16)
        x_axis = Axis([x for _, points in series for x, _ in points], left, left + width, True)
        y_axis = Axis([y for _, points in series for _, y in points], bottom, top, log)
        for tick in x_axis.ticks():
            x = x_axis.place(tick)
            parts += [_line(x, top, x, bottom, "faint"), _text(x, bottom + 18, _number(tick), "middle", "small")]
        for tick in y_axis.ticks():
            y = y_axis.place(tick)
            parts += [_line(left, y, left + width, y, "faint"), _text(left - 8, y + 4, _number(tick), "end", "small")]
        parts += [_line(left, bottom, left + width, bottom, "axis"), _line(left, top, left, bottom, "axis")]
        parts.append(_text(left - 50, (top + bottom) / 2, y_label, "middle", turn=-90))
        parts.append(_text(left + width / 2, bottom + 40, x_label, "middle"))
        for name, points in series:
            which = names.index(name)
            path = " ".join(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" class="s{which} line"/>')
            parts += [_mark(x_axis.place(x), y_axis.place(y), which, f"{name}: {_number(x)}: {y:.3g}") for x, y in points]
    return _picture(title, f"{subtitle} {x_label}.", bottom + 56, parts)
