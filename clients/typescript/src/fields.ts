/** Checks of arguments, with errors that name the field. */

import { invalid } from "./errors.js";

const INT32 = 2 ** 31;
const UINT32 = 2 ** 32;
const UINT64 = 2n ** 64n;
// Timers of JavaScript overflow above.
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Return a whole number of a field of type int32. */
export function int32<T extends number | undefined>(field: string, value: T): T {
  return whole(field, value, -INT32, INT32 - 1, "-2**31 to 2**31 - 1");
}

/** Return a whole number of a field of type uint32. */
export function uint32<T extends number | undefined>(field: string, value: T): T {
  return whole(field, value, 0, UINT32 - 1, "0 to 2**32 - 1");
}

function whole<T extends number | undefined>(
  field: string,
  value: T,
  least: number,
  most: number,
  range: string,
): T {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
    throw invalid(field, `${String(value)} is not a whole number from ${range}`);
  }
  return value;
}

/** Return a seed as the bigint that messages have. */
export function seedOf(value: number | bigint): bigint;
export function seedOf(value: number | bigint | undefined): bigint | undefined;
export function seedOf(value: number | bigint | undefined): bigint | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (
    typeof value === "bigint"
      ? value >= 0n && value < UINT64
      : Number.isSafeInteger(value) && value >= 0
  ) {
    return BigInt(value);
  }
  throw invalid(
    "seed",
    `${String(value)} is not a whole number from 0 to 2**64 - 1; use a bigint above 2**53`,
  );
}

/** Return a timeout in milliseconds. */
export function timeout(value: number): number {
  if (!(value > 0 && value <= LONGEST_TIMEOUT)) {
    throw invalid("timeoutMs", `${String(value)} is not a number above 0, up to 2**31 - 1`);
  }
  return value;
}

/** Return an object without its undefined properties. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
