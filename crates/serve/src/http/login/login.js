// Trades the one-time code for a cookie and the secrets of this tab and origin. The code is in the
// fragment of the address, which browsers do not send.
"use strict";

const statusLine = document.getElementById("status");
const form = document.getElementById("form");
const code = document.getElementById("code");
const deviceName = document.getElementById("name");

function ownName() {
  const agent = navigator.userAgent;
  const systems = ["iPhone", "iPad", "Android", "Windows", "Mac", "Linux"];
  return systems.find((system) => agent.includes(system)) ?? "browser";
}

async function logIn() {
  statusLine.textContent = "Logging in …";
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: code.value.trim(), name: deviceName.value }),
    });
    if (!response.ok) {
      statusLine.textContent = await response.text();
      code.value = "";
      return;
    }
    const { tab, originKey } = await response.json();
    localStorage.setItem("attache.originKey", originKey);
    sessionStorage.setItem("attache.secret", tab);
    location.replace("/");
  } catch {
    statusLine.textContent = "Attaché cannot be reached. Try again.";
  }
}

deviceName.value = ownName();
form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn();
});
if (location.hash.length > 1) {
  code.value = location.hash.slice(1);
  // The code must not stay in the history.
  history.replaceState(null, "", location.pathname);
  logIn();
}
