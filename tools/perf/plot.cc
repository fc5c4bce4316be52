// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/human.h"
#include "perf/report.h"

namespace datum::perf {
namespace {

constexpr double kLeft = 100, kTop = 40, kBottom = 64;
// The legend: the width of the line in it, and the least width of the whole legend.
constexpr double kKey = 44, kLeastRight = 230;
constexpr double kCharacter = 6.8; // the largest average width of a character
constexpr double kLine = 18;       // the distance between two lines of text
constexpr double kPlotWidth = 560, kPlotHeight = 300;
constexpr std::array<const char*, 8> kColours = {"#1b6ca8", "#d1495b", "#2e8b57", "#8a5fbf",
                                                 "#c17817", "#007c91", "#7a4b2a", "#555555"};

constexpr std::array<const char*, 6> kDashes = {"7 4", "2 3",  "10 3 2 3",
                                                "2 7", "14 3", "4 2 1 2"}; // for limits

struct Point {
  double x, y;
};

struct Series {
  std::string name;
  std::vector<Point> points;
  bool is_limit = false;
};

struct Panel {
  const char* title;
  const char* quantity; // the quantity on the vertical axis
  Kind kind;
  Task sample; // gives the unit of the labels
  std::vector<Series> series;
};

struct PanelTitle {
  const char* title;
  const char* quantity;
  Kind kind;
};
constexpr std::array kTitles = {
    PanelTitle{"Latency", "time of one operation, median (logarithmic)", Kind::Latency},
    PanelTitle{"Rate", "operations per second, median (logarithmic)", Kind::Rate},
    PanelTitle{"Bandwidth", "bytes per second, median (logarithmic)", Kind::Bandwidth}};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : tools::printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// If there are two figures for one size, the better one is kept. For example, a limit is measured
// once for each kind of memory.
void add_point(Panel& panel, const std::string& name, bool is_limit, Point point) {
  if (!(point.y > 0)) return;
  auto found = std::find_if(panel.series.begin(), panel.series.end(),
                            [&](const Series& s) { return s.name == name; });
  if (found == panel.series.end())
    found = panel.series.insert(panel.series.end(), Series{name, {}, is_limit});
  const auto same = std::find_if(found->points.begin(), found->points.end(),
                                 [&](const Point& p) { return p.x == point.x; });
  if (same == found->points.end())
    found->points.push_back(point);
  else if ((point.y < same->y) == (panel.kind == Kind::Latency))
    *same = point;
}

std::string series_name(const Task& task) {
  std::string name = fmt::format("{}, {}", test_name(task), name_of(task.memory));
  if (task.wait == Wait::Block) name += ", block";
  if (task.op != Op::Send && task.target != Target::Poll)
    name += fmt::format(", target {}", name_of(task.target));
  if (task.transport == Transport::Tcp) name += ", tcp";
  return name;
}

// The name without its size, such as "ring" of "ring 8 B", because all sizes make one line.
std::string limit_family(const std::string& name) {
  return "limit: " + name.substr(0, name.find(' '));
}

// The name contains how the sides wait, because spinning and blocking sides make two lines.
std::string peer_name(const Comparison& comparison, const Task& task) {
  std::string name = fmt::format("{} {}", name_of(comparison.test.program), comparison.test.test);
  if (task.wait == Wait::Block) name += ", block";
  return name;
}

Panel panel_of(const PanelTitle& title, const std::vector<Result>& results) {
  const Kind kind = title.kind;
  Panel panel{title.title, title.quantity, kind, {}, {}};
  for (const Result& r : results) {
    if (r.task.kind != kind || !r.skipped.empty()) continue;
    panel.sample = r.task;
    const auto x = static_cast<double>(r.task.size);
    add_point(panel, series_name(r.task), false, {x, r.value.median});
    // A limit that the measured figure beats is no bound, so it is not drawn.
    if (!r.limit_name.empty() && limit_holds(r))
      add_point(panel, limit_family(r.limit_name), true, {x, r.limit.median});
    for (const Comparison& c : r.comparisons)
      if (c.failure.empty()) add_point(panel, peer_name(c, r.task), false, {x, c.value});
  }
  for (Series& series : panel.series)
    std::sort(series.points.begin(), series.points.end(),
              [](const Point& a, const Point& b) { return a.x < b.x; });
  return panel;
}

class Axes {
 public:
  explicit Axes(const Panel& panel) {
    for (const Series& series : panel.series)
      for (const Point& p : series.points) {
        low_.x = std::min(low_.x, std::log2(p.x));
        high_.x = std::max(high_.x, std::log2(p.x));
        low_.y = std::min(low_.y, std::floor(std::log10(p.y)));
        high_.y = std::max(high_.y, std::ceil(std::log10(p.y)));
      }
    if (high_.x <= low_.x) low_.x -= 1, high_.x += 1; // puts a single size in the middle
    if (high_.y <= low_.y) high_.y = low_.y + 1;
  }
  [[nodiscard]] double x(double size) const {
    return kLeft + kPlotWidth * (std::log2(size) - low_.x) / (high_.x - low_.x);
  }
  [[nodiscard]] double y(double value) const {
    return kTop + kPlotHeight * (1 - (std::log10(value) - low_.y) / (high_.y - low_.y));
  }
  [[nodiscard]] std::string grid(const Task& sample) const;

 private:
  Point low_{1e9, 1e9}, high_{-1e9, -1e9};
};

std::string Axes::grid(const Task& sample) const {
  std::string svg;
  for (double power = low_.y; power <= high_.y; ++power) {
    const double value = std::pow(10.0, power), at = y(value);
    svg += fmt::format("<line x1='{}' y1='{:.1f}' x2='{}' y2='{:.1f}' class='grid'/>"
                       "<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n",
                       kLeft, at, kLeft + kPlotWidth, at, kLeft - 6, at + 4,
                       power_text(sample, value));
  }
  const double step = std::max(1.0, std::ceil((high_.x - low_.x) / 9));
  for (double power = std::max(0.0, std::ceil(low_.x)); power <= high_.x; power += step) {
    const double size = std::exp2(power), at = x(size);
    svg += fmt::format("<line x1='{:.1f}' y1='{}' x2='{:.1f}' y2='{}' class='grid'/>"
                       "<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n",
                       at, kTop, at, kTop + kPlotHeight, at, kTop + kPlotHeight + 16,
                       tools::chosen_size(static_cast<std::uint64_t>(size)));
  }
  return svg;
}

std::string mark(Point at, const char* colour, const char* fill) {
  return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' stroke='{}' fill='{}'/>", at.x, at.y,
                     colour, fill);
}

// dash_number: the index of the series among the limits.
std::string draw_series(const Series& series, const Axes& axes, std::size_t number,
                        std::size_t dash_number) {
  const char* const colour = series.is_limit ? "#888888" : kColours[number % kColours.size()];
  const std::string dash =
      series.is_limit ? fmt::format(" stroke-dasharray='{}'", kDashes[dash_number % kDashes.size()])
                      : "";
  std::string line, marks;
  for (const Point& p : series.points) {
    const Point at{axes.x(p.x), axes.y(p.y)};
    line += fmt::format("{:.1f},{:.1f} ", at.x, at.y);
    // A line through one point is invisible, so the point gets a mark.
    if (!series.is_limit)
      marks += mark(at, colour, colour);
    else if (series.points.size() == 1)
      marks += mark(at, colour, "white");
  }
  const double key = kTop + 8 + kLine * static_cast<double>(number), left = kLeft + kPlotWidth + 12;
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'{}/>{}\n"
                     "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='2'{}/>"
                     "<text x='{}' y='{}'>{}</text>\n",
                     line, colour, dash, marks, left, key, left + 22, key, colour, dash, left + 28,
                     key + 4, escaped(series.name));
}

std::string axis_titles(const Panel& panel) {
  const double middle = kTop + kPlotHeight / 2, left = kLeft - 78;
  return fmt::format("<text x='{}' y='{}' text-anchor='middle' class='axis'>bytes of one operation "
                     "(logarithmic)</text>\n<text x='{}' y='{}' text-anchor='middle' class='axis' "
                     "transform='rotate(-90 {} {})'>{}</text>\n",
                     kLeft + kPlotWidth / 2, kTop + kPlotHeight + 38, left, middle, left, middle,
                     panel.quantity);
}

std::string draw(const Panel& panel, double top) {
  const Axes axes(panel);
  std::string svg = fmt::format("<g transform='translate(0 {})'>\n<text x='{}' y='{}' "
                                "class='title'>{}</text>\n",
                                top, kLeft, kTop - 14, panel.title);
  svg += axes.grid(panel.sample) + axis_titles(panel);
  std::size_t limits = 0;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    svg += draw_series(panel.series[i], axes, i, limits);
    if (panel.series[i].is_limit) ++limits;
  }
  return svg + "</g>\n";
}

double height_of(const Panel& panel) {
  const double legend = kTop + kLine * static_cast<double>(panel.series.size());
  return std::max(kTop + kPlotHeight + kBottom, legend);
}

double text_width(const std::string& text) {
  return kCharacter * static_cast<double>(text.size());
}

std::string text_lines(const std::vector<std::string>& lines, const char* style, double& y) {
  std::string svg;
  for (const std::string& line : lines) {
    svg += fmt::format("<text x='{}' y='{}'{}>{}</text>\n", kLeft, y, style, escaped(line));
    y += kLine;
  }
  return svg;
}

} // namespace

bool is_plotted(const Task& task) {
  return std::any_of(kTitles.begin(), kTitles.end(),
                     [&](const PanelTitle& title) { return title.kind == task.kind; });
}

std::string plot_svg(const std::vector<Result>& results, const Caption& caption) {
  double height = kLine + 4, width = kLeft + kPlotWidth + kLeastRight;
  std::string body = text_lines(caption.lines, "", height);
  body += text_lines(caption.warnings, " class='warning'", height);
  for (const std::vector<std::string>& lines : {caption.lines, caption.warnings})
    for (const std::string& line : lines) width = std::max(width, kLeft + text_width(line));
  for (const PanelTitle& title : kTitles) {
    const Panel panel = panel_of(title, results);
    if (panel.series.empty()) continue;
    for (const Series& series : panel.series)
      width = std::max(width, kLeft + kPlotWidth + kKey + text_width(series.name));
    body += draw(panel, height);
    height += height_of(panel);
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}'>\n<style>text{{font:12px sans-serif;fill:#222}}.title{{font:bold "
      "14px sans-serif}}.axis{{fill:#555}}.warning{{font-weight:bold;fill:#b00020}}"
      ".grid{{stroke:#ddd}}</style>\n<rect width='100%' "
      "height='100%' fill='white'/>\n{2}</svg>\n",
      width, height, body);
}

} // namespace datum::perf
