/** Names that every object of JavaScript inherits. Code that looks up a name from outside must not find them. */
export const inheritedNames = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"];
