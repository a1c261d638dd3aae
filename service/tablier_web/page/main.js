/** Starts the page. */
import { h, render } from "./vendor/preact.js";
import { Api } from "./api.js";
import { preference } from "./preferences.js";
import { Table } from "./table.js";
import { preferredLanguage, useLanguage } from "./texts.js";
import { App } from "./components/app.js";

const language = preference("language") || preferredLanguage();
await useLanguage(language);
const api = new Api();
api.language = document.documentElement.lang;
const table = new Table(api);
const announcements = document.getElementById("announcements");
table.announce = (text) => {
  announcements?.append(Object.assign(document.createElement("p"), { textContent: text }));
  // Screen readers have read the oldest by now.
  if (announcements && announcements.childElementCount > 20)
    announcements.firstElementChild?.remove();
};
table.silence = () => announcements?.replaceChildren();
const root = document.getElementById("table");
if (root) render(h(App, { table }), root);
