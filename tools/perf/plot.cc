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

constexpr double kLeft = 90, kRight = 230, kTop = 40, kBottom = 50;
constexpr double kPlotWidth = 560, kPlotHeight = 300;
constexpr double kPanelHeight = kTop + kPlotHeight + kBottom;
constexpr std::array<const char*, 8> kColours = {"#1b6ca8", "#d1495b", "#2e8b57", "#8a5fbf",
                                                 "#c17817", "#007c91", "#7a4b2a", "#555555"};

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
  Kind kind;
  Task sample; // for the unit of the labels
  std::vector<Series> series;
};

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

void add_point(Panel& panel, const std::string& name, bool is_limit, Point point) {
  if (!(point.y > 0)) return;
  auto found = std::find_if(panel.series.begin(), panel.series.end(),
                            [&](const Series& s) { return s.name == name; });
  if (found == panel.series.end())
    found = panel.series.insert(panel.series.end(), Series{name, {}, is_limit});
  found->points.push_back(point);
}

std::string series_name(const Task& task) {
  std::string name = fmt::format("{}, {}", test_name(task), name_of(task.memory));
  if (task.wait == Wait::Block) name += ", block";
  if (task.op != Op::Send && task.target != Target::Poll)
    name += fmt::format(", target {}", name_of(task.target));
  if (task.transport == Transport::Tcp) name += ", tcp";
  return name;
}

// "ring 8 B" without its size: all sizes make one line.
std::string limit_family(const std::string& name) {
  return "limit: " + name.substr(0, name.find(' '));
}

// The wait is told, because spinning and sleeping sides are two lines.
std::string peer_name(const Comparison& comparison, const Task& task) {
  std::string name = fmt::format("{} {}", name_of(comparison.test.program), comparison.test.test);
  if (task.wait == Wait::Block) name += ", block";
  return name;
}

Panel panel_of(const char* title, Kind kind, const std::vector<Result>& results) {
  Panel panel{title, kind, {}, {}};
  for (const Result& r : results) {
    if (r.task.kind != kind || !r.skipped.empty()) continue;
    panel.sample = r.task;
    const auto x = static_cast<double>(r.task.size);
    add_point(panel, series_name(r.task), false, {x, r.value.median});
    if (!r.limit_name.empty())
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
    if (high_.x <= low_.x) high_.x = low_.x + 1;
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
                       value_text(sample, value));
  }
  const double step = std::max(1.0, std::ceil((high_.x - low_.x) / 9));
  for (double power = std::ceil(low_.x); power <= high_.x; power += step) {
    const double size = std::exp2(power), at = x(size);
    svg += fmt::format("<line x1='{:.1f}' y1='{}' x2='{:.1f}' y2='{}' class='grid'/>"
                       "<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n",
                       at, kTop, at, kTop + kPlotHeight, at, kTop + kPlotHeight + 16,
                       tools::human_size(static_cast<std::uint64_t>(size)));
  }
  return svg;
}

std::string draw_series(const Series& series, const Axes& axes, std::size_t number) {
  const char* const colour = series.is_limit ? "#888888" : kColours[number % kColours.size()];
  const char* const dash = !series.is_limit  ? ""
                           : number % 2 == 0 ? " stroke-dasharray='7 4'"
                                             : " stroke-dasharray='2 3'";
  std::string line, marks;
  for (const Point& p : series.points) {
    line += fmt::format("{:.1f},{:.1f} ", axes.x(p.x), axes.y(p.y));
    if (!series.is_limit)
      marks += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}'/>", axes.x(p.x),
                           axes.y(p.y), colour);
  }
  const double key = kTop + 8 + 18 * static_cast<double>(number), left = kLeft + kPlotWidth + 12;
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'{}/>{}\n"
                     "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='2'{}/>"
                     "<text x='{}' y='{}'>{}</text>\n",
                     line, colour, dash, marks, left, key, left + 22, key, colour, dash, left + 28,
                     key + 4, escaped(series.name));
}

std::string draw(const Panel& panel, double top) {
  const Axes axes(panel);
  std::string svg = fmt::format("<g transform='translate(0 {})'>\n<text x='{}' y='{}' "
                                "class='title'>{}</text>\n",
                                top, kLeft, kTop - 14, panel.title);
  svg += axes.grid(panel.sample);
  for (std::size_t i = 0; i < panel.series.size(); ++i)
    svg += draw_series(panel.series[i], axes, i);
  return svg + "</g>\n";
}

} // namespace

std::string plot_svg(const std::vector<Result>& results, const std::string& caption) {
  std::string body;
  double height = 30;
  for (const auto& [title, kind] :
       {std::pair{"Latency (median)", Kind::Latency}, std::pair{"Rate (median)", Kind::Rate},
        std::pair{"Bandwidth (median)", Kind::Bandwidth}}) {
    const Panel panel = panel_of(title, kind, results);
    if (panel.series.empty()) continue;
    body += draw(panel, height);
    height += kPanelHeight;
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' "
      "height='{1}'>\n<style>text{{font:12px sans-serif;fill:#222}}.title{{font:bold "
      "14px sans-serif}}.grid{{stroke:#ddd}}</style>\n<rect width='100%' "
      "height='100%' fill='white'/>\n<text x='{2}' y='20'>{3}</text>\n{4}</svg>\n",
      kLeft + kPlotWidth + kRight, height, kLeft, escaped(caption), body);
}

} // namespace datum::perf
