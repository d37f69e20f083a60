//! The axes of an array: what each stands for, and which source told it.
//!
//! Everything is in the array's own order: axis 0 is the first number of `dimensions` or `shape`.

use super::dialects::Dialect;

/// What an axis stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisKind {
    /// A direction in space.
    Space,
    /// Time.
    Time,
    /// Channels: colours, stains, detectors.
    Channel,
    /// Something else, by the source's own word.
    Other,
}

impl AxisKind {
    /// The word that OME-NGFF has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Time => "time",
            Self::Channel => "channel",
            Self::Other => "other",
        }
    }

    /// The kind that OME-NGFF's `type` names.
    pub(super) fn of_type(text: &str) -> Self {
        match text {
            "space" => Self::Space,
            "time" => Self::Time,
            "channel" => Self::Channel,
            _ => Self::Other,
        }
    }

    /// The kind that everybody means by a name. Neuroglancer marks channels with `^` and `'`.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        match name.trim_end_matches(['^', '\'']).to_ascii_lowercase().as_str() {
            "x" | "y" | "z" => Some(Self::Space),
            "t" | "time" => Some(Self::Time),
            "c" | "channel" | "channels" => Some(Self::Channel),
            _ => None,
        }
    }
}

/// One axis, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The name, such as "x".
    pub name: Option<String>,
    /// What it stands for.
    pub kind: Option<AxisKind>,
    /// The unit of scale and translation, as the source spells it.
    pub unit: Option<String>,
    /// The distance between the centres of neighbouring elements.
    pub scale: Option<f64>,
    /// Where the centre of the first element lies. `None` where no source moves it away from 0.
    pub translation: Option<f64>,
}

/// What one source says about an array's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The convention that it follows.
    pub dialect: Dialect,
    /// The member that says it, and where that stands: "`transform` of the array".
    pub place: String,
    /// One entry an axis.
    pub axes: Vec<Axis>,
    /// Whether the names come from the convention alone, so that any written name counts more.
    pub(super) names_are_implied: bool,
    /// Whether the translation follows from a factor of downsampling and is not written down.
    pub(super) translation_is_implied: bool,
}

impl Statement {
    /// Whether it tells `property` for any axis.
    #[must_use]
    pub fn tells(&self, property: Property) -> bool {
        self.axes.iter().any(|axis| match property {
            Property::Names => axis.name.is_some(),
            Property::Units => axis.unit.is_some(),
            Property::Scale => axis.scale.is_some(),
            Property::Translation => axis.translation.is_some(),
        })
    }
}

/// What a source can tell of the axes, each answered by one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Names and kinds.
    Names,
    /// Units.
    Units,
    /// Distances of neighbouring elements.
    Scale,
    /// Positions of the first element.
    Translation,
}

impl Property {
    /// What a message calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Names => "names of the axes",
            Self::Units => "units",
            Self::Scale => "pixel size",
            Self::Translation => "position of the first voxel",
        }
    }
}

/// Two sources that tell one property differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What they tell differently.
    pub property: Property,
    /// The statement whose answer counts, by its index in [`Axes::statements`].
    pub counts: usize,
    /// The statement that contradicts it.
    pub other: usize,
}

/// What is known of an array's axes from all sources together.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// One entry an axis.
    pub axes: Vec<Axis>,
    /// Every source that says something, the one that counts most first.
    pub statements: Vec<Statement>,
    /// What they tell differently.
    pub disagreements: Vec<Disagreement>,
    /// Which statement each property came from, in the order of [`Property`].
    pub(super) sources: [Option<usize>; 4],
    /// Whether the first axis varies fastest where the array is stored.
    pub(super) first_is_fastest: bool,
}

impl Axes {
    /// The statement that `property` was taken from; `None` where no source tells it.
    #[must_use]
    pub fn source(&self, property: Property) -> Option<&Statement> {
        let index = match property {
            Property::Names => 0,
            Property::Units => 1,
            Property::Scale => 2,
            Property::Translation => 3,
        };
        self.statements.get(self.sources.get(index).copied().flatten()?)
    }

    /// The statement that says most: that of the scale, else that of the names.
    #[must_use]
    pub fn main_source(&self) -> Option<&Statement> {
        self.source(Property::Scale).or_else(|| self.source(Property::Names)).or_else(|| self.statements.first())
    }

    /// The axis of this name, whatever its case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        let named = |axis: &Axis| axis.name.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(name));
        self.axes.iter().position(named)
    }
}
