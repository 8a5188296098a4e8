;;; agent-shell.el --- Prompts Attaché in agent-shell -*- lexical-binding: t -*-

;;; Commentary:

;; Usage: emacs --batch -L FOLDER… -l agent-shell.el ENTRY PROMPT ANSWER
;; Sends PROMPT in a shell of agent-shell, answers the question with the key ANSWER, prints the
;; buffer.

;;; Code:

(require 'agent-shell)

(defun attache-wait (condition)
  "Wait until CONDITION returns a value, at most 60 seconds, and return it."
  (let ((end (time-add nil 60))
        (value nil))
    (while (and (not (setq value (funcall condition))) (time-less-p nil end))
      (accept-process-output nil 0.05))
    value))

(defun attache-answer (key)
  "Press KEY on the first button of a question, if the buffer has one."
  (when-let* ((place (text-property-any
                      (point-min) (point-max) 'agent-shell-permission-button t)))
    (goto-char place)
    (call-interactively (key-binding (kbd key)))
    t))

(pcase-let ((`(,entry ,prompt ,key) command-line-args-left))
  (setq command-line-args-left nil
        agent-shell-session-strategy 'new)
  (load (expand-file-name entry) nil t t)
  (let ((buffer (agent-shell-start :config (car agent-shell-agent-configs))))
    (with-current-buffer buffer
      (attache-wait (lambda () (map-nested-elt agent-shell--state '(:session :id))))
      (agent-shell-insert :text prompt :submit t :no-focus t :shell-buffer buffer)
      (let ((asked (attache-wait (lambda () (attache-answer key))))
            (ended (attache-wait (lambda () (not (shell-maker-busy))))))
        (princ (buffer-substring-no-properties (point-min) (point-max)))
        (princ (format "\nended: %s, asked: %s\n" (and ended t) (and asked t)))
        (kill-emacs (if (and ended asked) 0 1))))))

;;; agent-shell.el ends here
