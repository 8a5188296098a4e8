-- Sends PROMPT in the sidebar of avante.nvim, answers its question with ANSWER, prints the sidebar.
local plugins, entry, prompt, answer = unpack(vim.v.argv, #vim.v.argv - 3)
for name in vim.fs.dir(plugins) do
  vim.opt.runtimepath:append(plugins .. "/" .. name)
end
vim.o.laststatus = 3
dofile(entry)

local asked, done = false, false
local helpers = require("avante.llm_tools.helpers")
local function answered()
  local popup = helpers.confirm_popup
  if popup and not asked and popup._popup and popup._popup.winid then
    asked = true
    vim.api.nvim_set_current_win(popup._popup.winid)
    vim.api.nvim_feedkeys(vim.keycode(answer), "mx", false)
  end
end
vim.cmd.edit("main.rs")
require("avante.api").ask({ question = prompt })
local sidebar = require("avante").get()
local ended = vim.wait(60000, function()
  answered()
  local state = sidebar.current_state
  done = asked and (state == "succeeded" or state == "failed")
  return done
end, 50)
print(table.concat(vim.api.nvim_buf_get_lines(sidebar.containers.result.bufnr, 0, -1, false), "\n"))
print(("ended: %s, asked: %s, state: %s"):format(ended, asked, sidebar.current_state))
vim.cmd(ended and "qall!" or "cquit!")
