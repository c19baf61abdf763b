/** Holding a shape against the type that it describes, by the compiler. */
import type { z } from "zod";

/** Every value of `Type` fits the shape: what the runtime may answer is described. */
export function shapeOf<Type>() {
  return <Shape extends z.ZodType>(shape: Shape & ([Loose<Type>] extends [z.input<Shape>] ? unknown : never)): Shape =>
    shape;
}

/** A type without its `readonly`s, which shapes do not say. */
type Loose<Type> = Type extends string ? (string extends Type ? string : LooseText<Type>) : LooseObject<Type>;

/** Branded texts are texts; words of a list stay themselves. */
type LooseText<Type extends string> = Type extends object ? string : Type;
type LooseObject<Type> = Type extends readonly (infer Item)[]
  ? Loose<Item>[]
  : Type extends object
    ? { -readonly [Key in keyof Type]: Loose<Type[Key]> }
    : Type;
