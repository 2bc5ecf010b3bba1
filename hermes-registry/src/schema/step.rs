//! The steps by name.

/// One repair of a schema; the order is that in which they are taken.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Step {
    /// A schema without members becomes that of an object without properties.
    Empty,
    /// What stands where a schema should and is none becomes one: `true` and `null` an empty one,
    /// `false` one that nothing fits, the name of a type that type, any other text a description.
    Bare,
    /// A text as `additionalProperties` becomes what it names, and what is neither a schema nor
    /// `true` nor `false` goes.
    AdditionalProperties,
    /// `definitions` becomes `$defs`, in the references as well.
    Definitions,
    /// What is referred to and is no definition becomes one, so that no other step can break the
    /// reference; a reference to nothing goes.
    References,
    /// `$ref`, `allOf`, `anyOf`, `oneOf`, `enum` and `not` of the schema as a whole go; the
    /// properties of the branches are put together, and the type becomes `object`.
    TopLevel,
    /// A union of constants of one type becomes an `enum`.
    ConstUnions,
    /// A union of one schema and `null` becomes that schema with `nullable`; title, description,
    /// default and examples of the union stay.
    NullUnions,
    /// Several types become one with `nullable`, or a union of schemas of one type each.
    TypeArrays,
    /// A schema with properties gets the type `object`, and a schema of that type properties.
    ObjectTypes,
    /// A schema of the type `array` gets `items`.
    ArrayItems,
    /// Names that are required and are no properties go.
    Required,
    /// A default beside a reference goes.
    DefaultBesideRef,
}

impl Step {
    /// All steps, in the order in which they are taken.
    pub const ALL: [Self; 13] = [
        Self::Empty,
        Self::Bare,
        Self::AdditionalProperties,
        Self::Definitions,
        Self::References,
        Self::TopLevel,
        Self::ConstUnions,
        Self::NullUnions,
        Self::TypeArrays,
        Self::ObjectTypes,
        Self::ArrayItems,
        Self::Required,
        Self::DefaultBesideRef,
    ];

    /// A word for programs; it never changes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Bare => "bare",
            Self::AdditionalProperties => "additional_properties",
            Self::Definitions => "definitions",
            Self::References => "references",
            Self::TopLevel => "top_level",
            Self::ConstUnions => "const_unions",
            Self::NullUnions => "null_unions",
            Self::TypeArrays => "type_arrays",
            Self::ObjectTypes => "object_types",
            Self::ArrayItems => "array_items",
            Self::Required => "required",
            Self::DefaultBesideRef => "default_beside_ref",
        }
    }

    /// Whether whatever fitted the schema before this step fits it afterwards, where `nullable` lets
    /// `null` in, and outside of `not`, `if` and `oneOf`, within which a looser schema is a
    /// stricter one.
    ///
    /// The others take away values that no caller sends: arguments that are no object, and
    /// properties that only one branch of a union describes.
    #[must_use]
    pub fn keeps_values(self) -> bool {
        !matches!(self, Self::Empty | Self::TopLevel | Self::ObjectTypes)
    }
}
