declare const brand: unique symbol;

/** A string or number type that the compiler does not mix with other types of the same shape. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
