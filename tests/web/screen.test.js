import assert from "node:assert/strict";
import test from "node:test";
import { Api } from "../../service/tablier_web/page/api.js";
import { Screen } from "../../service/tablier_web/page/screen.js";
import { grow, plant } from "../../service/tablier_web/page/tree.js";

const situation = { game: "any", seats: 2, phase: "first" };

test("the screen forgets what one person saw, but can tell it again", () => {
  const screen = new Screen(new Api());
  let silenced = 0;
  screen.silence = () => {
    silenced += 1;
  };
  const root = plant("a", situation);
  const own = grow(root, {
    state: "b",
    situation,
    seat: 0,
    move: { seat: 0, action: 4, notation: "take red" },
    parts: ["card-red"],
  });
  const seen = grow(own, {
    state: "c",
    situation,
    seat: 1,
    move: { seat: 1, action: 5, notation: "take blue" },
    bot: { level: 1, seed: "7" },
  });
  own.words.set(0, "You take the red card");
  screen.node = seen;
  screen.drawing = "<svg/>";
  screen.forget();
  assert.equal(screen.drawing, "");
  assert.equal(silenced, 1);
  assert.equal(own.words.size, 0);
  assert.deepEqual(own.parts, []);
  assert.deepEqual(own.move, { seat: 0, action: 4 });
  // The call that lets the bot move tells it again, to those who saw it.
  assert.equal(seen.move, null);
  assert.deepEqual(seen.bot, { level: 1, seed: "7" });
});
