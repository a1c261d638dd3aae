// For `make web-lint` only: the types of the same version, from npm.
export * from "preact";
