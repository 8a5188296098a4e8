-- Sends PROMPT in a chat of codecompanion.nvim, answers its question with ANSWER, prints the chat.
local plugins, entry, prompt, answer = unpack(vim.v.argv, #vim.v.argv - 3)
for name in vim.fs.dir(plugins) do
  vim.opt.runtimepath:append(plugins .. "/" .. name)
end
vim.o.columns, vim.o.lines = 100, 60
dofile(entry)

local chat = require("codecompanion").chat()
local asked, done = false, false
vim.api.nvim_create_autocmd("User", {
  pattern = "CodeCompanionToolApprovalRequested",
  callback = function()
    vim.schedule(function()
      asked = true
      vim.api.nvim_feedkeys(vim.keycode(answer), "mx", false)
    end)
  end,
})
vim.api.nvim_create_autocmd("User", {
  pattern = "CodeCompanionChatDone",
  callback = function() done = true end,
})
-- A prompt that is sent before the chat has a session starts a second agent or session.
vim.wait(60000, function()
  return chat.acp_connection and chat.acp_connection:is_connected()
end, 50)
chat:add_buf_message({ role = "user", content = prompt })
chat:submit()
local ended = vim.wait(60000, function() return done end, 50)
print(table.concat(vim.api.nvim_buf_get_lines(chat.bufnr, 0, -1, false), "\n"))
print(("ended: %s, asked: %s"):format(ended, asked))
vim.cmd(ended and "qall!" or "cquit!")
