declare const brand: unique symbol;

/** A string (or number) that the compiler keeps apart from others of its shape. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
