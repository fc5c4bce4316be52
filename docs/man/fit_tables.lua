-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- A filter for pandoc. Its columns with a width have 70 ens together, and the gaps between them
-- come on top. This filter takes the gaps off, so that a table fits into a terminal of 80 columns.
local kOfPandoc = 70
local kRoom = 71 -- man(1) lays out 78 columns, and indents by 7
local kGap = 3

local function scaled(width, columns)
  return width and width * (kRoom - kGap * (columns - 1)) / kOfPandoc
end

function Table(tab)
  local specs = tab.colspecs
  if specs == nil then -- pandoc before 2.10
    for i, width in ipairs(tab.widths) do tab.widths[i] = scaled(width, #tab.widths) end
    return tab
  end
  for _, spec in ipairs(specs) do spec[2] = scaled(spec[2], #specs) end
  tab.colspecs = specs
  return tab
end
