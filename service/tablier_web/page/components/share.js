/** Sharing: links, a frame for other pages, pictures, and code. */
import { Component, h } from "../vendor/preact.js";
import { describe, gameLink, recordOf, sharesGame, stateLink, viewLink } from "../opening.js";
import { curl, python } from "../snippets.js";
import { t } from "../texts.js";
import { Copied, Copy, Dialog, save } from "./dialog.js";

/**
 * @typedef {import("../table.js").Table} Table
 *
 * @typedef {object} Links
 * @property {string} game
 * @property {string} state
 * @property {string} view
 */

const SCALE = 2;

/** @extends {Component<import("./panels.js").PanelProps, {links: Links | null}>} */
export class Share extends Component {
  /** @override @type {{links: Links | null}} */
  state = { links: null };

  #open = async () => {
    const { table } = this.props;
    const { hidden, sealed, viewOnly } = table;
    this.setState({
      links: {
        game: sharesGame(table) ? await gameLink(table) : "",
        state: (hidden && !sealed) || viewOnly ? "" : await stateLink(table),
        view: hidden ? await viewLink(table) : "",
      },
    });
  };

  #close = () => this.setState({ links: null });

  /** @override */
  render() {
    const { table } = this.props;
    const { links } = this.state;
    if (!table.node) return null;
    const shown = table.shown === table.node;
    return [
      h("button", { class: "link", disabled: !shown, onClick: this.#open }, t("link")),
      links && h(ShareDialog, { table, links, onClose: this.#close }),
    ];
  }
}

/** @param {{table: Table, links: Links, onClose: () => void}} props */
function ShareDialog({ table, links, onClose }) {
  const { viewer: seat, hidden, sealed } = table;
  const page = location.origin + location.pathname;
  const frame = links.game || links.view || links.state;
  return h(
    Dialog,
    { title: t("share"), name: "share", onClose },
    h("p", { class: "quiet" }, t("linkHint")),
    links.game && h(Copied, { label: t("linkOfGame"), text: `${page}#${links.game}` }),
    links.view &&
      h(Copied, {
        label: t("linkOfView", { seat }),
        text: `${page}#${links.view}`,
        hint: t("linkOfViewHint", { seat }),
      }),
    links.state &&
      h(Copied, {
        label: t(hidden ? "linkOfSealed" : "linkOfPosition"),
        text: `${page}#${links.state}`,
        hint: sealed ? t("sealedHint") : "",
      }),
    h(Copied, {
      label: t("frame"),
      text: `<iframe src="${location.origin}/embed#${frame}" title="Tablier" width="640" height="680"></iframe>`,
      hint: table.api.hasKey ? t("frameHint") : "",
    }),
    h(
      "p",
      { class: "actions" },
      h("span", null, t("save")),
      h("button", { onClick: () => save(pictureOf(table), `${nameOf(table)}.svg`) }, "SVG"),
      h("button", { onClick: async () => save(await pngOf(table), `${nameOf(table)}.png`) }, "PNG"),
      h("span", null, t("copyAs")),
      h(Copy, { label: "Python", describe: t("asPython"), text: () => pythonOf(table) }),
      h(Copy, { label: "curl", describe: t("asCurl"), text: () => curlOf(table) }),
    ),
  );
}

/** A name for a file of the position. @param {Table} table */
export function nameOf({ game, node }) {
  return `${game?.name}-${node?.situation.ply ?? 0}`;
}

/** @param {Table} table */
function pictureOf(table) {
  return new Blob([table.drawing], { type: "image/svg+xml" });
}

/** The picture as pixels, drawn by the browser. @param {Table} table @returns {Promise<Blob>} */
async function pngOf(table) {
  const picture = new Image();
  picture.src = URL.createObjectURL(pictureOf(table));
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * SCALE;
  canvas.height = picture.height * SCALE;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))));
  });
}

/**
 * The token of what the viewer sees, if something is hidden; else that of the state.
 * @param {Table} table
 */
async function tokenOf(table) {
  const state = table.node?.state ?? "";
  return table.hidden && !table.viewOnly ? (await describe(table)).viewToken : state;
}

/** @param {Table} table */
async function pythonOf(table) {
  const record = sharesGame(table) ? await recordOf(table) : "";
  return python(record, record ? "" : await tokenOf(table), location.hostname);
}

/** @param {Table} table */
async function curlOf(table) {
  const body = { state: await tokenOf(table), seat: table.viewer };
  const call = { method: "POST", path: "/v1/states:describe", body };
  return curl(call, location.origin, table.api.hasKey);
}
