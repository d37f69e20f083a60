//! A volume as a light microscope might see it: cells with a nucleus and textured organelles, noise of photons, and the cells' labels.
//!
//! Everything follows from the size and a seed, so that every run writes the same bytes.

/// The volume, first axis fastest.
pub(crate) struct Volume {
    /// Voxels along x, y, z.
    pub(crate) size: [usize; 3],
    /// Intensities; 0 outside the microscope's field of view.
    pub(crate) raw: Vec<u8>,
    /// Numbers of the cells; 0 between them.
    pub(crate) labels: Vec<u16>,
}

/// One cell: an ellipsoid that is turned about z.
struct Cell {
    centre: [f64; 3],
    radius: [f64; 3],
    turn: (f64, f64),
    brightness: f64,
}

/// A source of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Between two numbers.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * unit(self.next())
    }
}

fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// From 0 up to 1.
#[allow(clippy::cast_precision_loss)] // 53 bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Smooth noise between 0 and 1: random values at whole coordinates, blended between.
fn smooth(at: [f64; 3], seed: u64) -> f64 {
    let corner = at.map(f64::floor);
    let weight = [0, 1, 2].map(|axis| {
        let t: f64 = pick(at, axis) - pick(corner, axis);
        t * t * (3.0 - 2.0 * t)
    });
    let mut sum = 0.0;
    for index in 0..8_u64 {
        let mut share = 1.0;
        let mut hash = seed;
        for axis in 0..3 {
            let high = (index >> axis) & 1 == 1;
            share *= if high { pick(weight, axis) } else { 1.0 - pick(weight, axis) };
            #[allow(clippy::cast_possible_truncation)] // Coordinates inside the volume.
            let lattice = pick(corner, axis) as i64 + i64::from(high);
            hash = mixed(hash ^ lattice.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        sum += share * unit(hash);
    }
    sum
}

/// [`smooth`] along axes that are turned by an angle of the seed's, with grains of this size.
fn tilted([x, y, z]: [f64; 3], grain: f64, seed: u64) -> f64 {
    let (sine, cosine) = (unit(mixed(seed)) * 6.3).sin_cos();
    let (x, y) = (x * cosine - y * sine, x * sine + y * cosine);
    let (y, z) = (y * 0.8 - z * 0.6, y * 0.6 + z * 0.8);
    let (x, z) = (x * 0.6 - z * 0.8, x * 0.8 + z * 0.6);
    smooth([x / grain, y / grain, z / grain], seed)
}

fn pick(list: [f64; 3], axis: usize) -> f64 {
    list.get(axis).copied().unwrap_or(0.0)
}

#[allow(clippy::cast_precision_loss)] // Sizes of a demonstration.
fn float(size: usize) -> f64 {
    size as f64
}

impl Cell {
    /// How far out a voxel is: 0 at the centre, 1 at the membrane; with its coordinates in units of the radii.
    fn reach(&self, at: [f64; 3]) -> (f64, [f64; 3]) {
        let [x, y, z] = [0, 1, 2].map(|axis| pick(at, axis) - pick(self.centre, axis));
        let (sine, cosine) = self.turn;
        let turned = [x * cosine + y * sine, y * cosine - x * sine, z];
        let inner = [0, 1, 2].map(|axis| pick(turned, axis) / pick(self.radius, axis));
        (inner.iter().map(|part| part * part).sum::<f64>().sqrt(), inner)
    }

    /// Light from inside the cell: cytoplasm, membrane, nucleus with nucleolus, organelles.
    fn light(&self, at: [f64; 3], reach: f64, inner: [f64; 3], seed: u64) -> f64 {
        let membrane = (-((reach - 0.95) / 0.05).powi(2)).exp() * 55.0;
        let to_nucleus = ((pick(inner, 0) - 0.12).powi(2) + (pick(inner, 1) + 0.08).powi(2) + pick(inner, 2).powi(2)).sqrt();
        // Turned axes, and two sizes of grain, keep the lattice of the noise out of sight.
        let (fine, coarse) = (tilted(at, 3.4, seed), tilted(at, 9.0, seed ^ 1));
        let texture = 0.65 * fine + 0.35 * tilted(at, 2.1, seed ^ 2);
        if to_nucleus < 0.42 {
            let chromatin = 95.0 + 60.0 * coarse;
            let nucleolus = if to_nucleus < 0.13 { 70.0 } else { 0.0 };
            return self.brightness * (chromatin + nucleolus) + membrane;
        }
        let organelles = if texture > 0.58 { (texture - 0.58) * 480.0 } else { 0.0 };
        self.brightness * (38.0 + 18.0 * coarse + organelles) + membrane
    }
}

/// Makes the volume.
pub(crate) fn volume(size: [usize; 3], seed: u64) -> Volume {
    let [width, height, depth] = size;
    let count = width * height * depth;
    let mut raw = vec![0; count];
    let mut labels = vec![0_u16; count];
    let mut light = vec![0.0_f32; count];
    let mut random = Random(seed);

    for (number, cell) in (1_u16..).zip(cells(size, &mut random)) {
        paint(&cell, number, size, seed ^ u64::from(number), &mut light, &mut labels);
    }
    let mut values = raw.iter_mut().zip(&light).zip(&mut labels);
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                let Some(((raw, &light), label)) = values.next() else { break };
                if in_view([x, y, z], size) {
                    // Photons: the scatter grows with the square root of the light.
                    let expected = 9.0 + f64::from(light);
                    let scatter = (0..4).map(|_| random.between(-1.0, 1.0)).sum::<f64>() * 0.87;
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped.
                    let photons = (expected + scatter * expected.sqrt() * 1.1).clamp(1.0, 255.0) as u8;
                    *raw = photons;
                } else {
                    *label = 0;
                }
            }
        }
    }
    Volume { size, raw, labels }
}

/// The field of view is a slanted cylinder; nothing is recorded outside.
fn in_view([x, y, z]: [usize; 3], [width, height, depth]: [usize; 3]) -> bool {
    let slant = (float(z) / float(depth.max(1)) - 0.5) * 0.5;
    let across = |at: usize, size: usize| (float(at) + 0.5) / float(size.max(1)) * 2.0 - 1.0;
    let (x, y) = (across(x, width) - slant, across(y, height) - slant);
    x * x + y * y < 0.98
}

/// Cells that do not lie inside one another, larger ones first.
fn cells(size: [usize; 3], random: &mut Random) -> Vec<Cell> {
    let extent = size.map(float);
    let unit = extent.into_iter().fold(f64::INFINITY, f64::min).max(8.0);
    let mut cells: Vec<Cell> = Vec::new();
    let mut misses = 0;
    while misses < 400 && cells.len() < 400 {
        let scale = unit * random.between(0.20, 0.34) * if misses < 150 { 1.0 } else { 0.7 };
        let radius = [scale * random.between(0.9, 1.35), scale * random.between(0.75, 1.05), scale * random.between(0.7, 1.0)];
        let angle = random.between(0.0, std::f64::consts::PI);
        let centre = extent.map(|extent| random.between(0.0, extent));
        let cell = Cell { centre, radius, turn: angle.sin_cos(), brightness: random.between(0.6, 1.15) };
        let apart = cells.iter().all(|other| {
            let distance = [0, 1, 2].map(|axis| (pick(centre, axis) - pick(other.centre, axis)).powi(2)).iter().sum::<f64>().sqrt();
            let mean = |cell: &Cell| cell.radius.iter().sum::<f64>() / 3.0;
            distance > (mean(&cell) + mean(other)) * 0.98
        });
        if apart {
            cells.push(cell);
        } else {
            misses += 1;
        }
    }
    cells
}

fn paint(cell: &Cell, number: u16, size: [usize; 3], seed: u64, light: &mut [f32], labels: &mut [u16]) {
    let reach = cell.radius.iter().copied().fold(0.0, f64::max) * 1.1;
    let span = |axis: usize| {
        let limit = size.get(axis).copied().unwrap_or(0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped.
        let bound = |at: f64| at.clamp(0.0, float(limit)) as usize;
        bound(pick(cell.centre, axis) - reach)..bound(pick(cell.centre, axis) + reach + 1.0)
    };
    let [width, height, _] = size;
    for z in span(2) {
        for y in span(1) {
            for x in span(0) {
                let at = [float(x), float(y), float(z)];
                let (reach, inner) = cell.reach(at);
                if reach > 1.1 {
                    continue;
                }
                let index = (z * height + y) * width + x;
                #[allow(clippy::cast_possible_truncation)] // Light below 300.
                let added = if reach <= 1.0 {
                    cell.light(at, reach, inner, seed) as f32
                } else {
                    // The glow around a cell.
                    (12.0 * (1.1 - reach) / 0.1) as f32
                };
                if let Some(light) = light.get_mut(index) {
                    *light = light.max(added);
                }
                if reach <= 1.0
                    && let Some(label) = labels.get_mut(index).filter(|label| **label == 0)
                {
                    *label = number;
                }
            }
        }
    }
}

impl Volume {
    /// The volume at half the size: means of intensities, the most frequent of the labels.
    pub(crate) fn halved(&self) -> Self {
        let size = self.size.map(|extent| extent.div_ceil(2).max(1));
        let [width, height, depth] = size;
        let mut raw = Vec::with_capacity(width * height * depth);
        let mut labels = Vec::with_capacity(width * height * depth);
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let (mut sum, mut count) = (0_u32, 0_u32);
                    let mut seen: [(u16, u8); 8] = [(0, 0); 8];
                    for index in self.eight([x, y, z]) {
                        sum += u32::from(self.raw.get(index).copied().unwrap_or(0));
                        count += 1;
                        let label = self.labels.get(index).copied().unwrap_or(0);
                        if let Some(slot) = seen.iter_mut().find(|(seen, votes)| *votes == 0 || *seen == label) {
                            *slot = (label, slot.1 + 1);
                        }
                    }
                    raw.push(u8::try_from((sum + count / 2) / count.max(1)).unwrap_or(u8::MAX));
                    labels.push(seen.iter().max_by_key(|(_, votes)| *votes).map_or(0, |(label, _)| *label));
                }
            }
        }
        Self { size, raw, labels }
    }

    /// The voxels that become one, as far as they exist.
    fn eight(&self, at: [usize; 3]) -> impl Iterator<Item = usize> {
        let [width, height, depth] = self.size;
        let [x, y, z] = at.map(|part| part * 2);
        (0..8).filter_map(move |index| {
            let (x, y, z) = (x + (index & 1), y + ((index >> 1) & 1), z + ((index >> 2) & 1));
            (x < width && y < height && z < depth).then_some((z * height + y) * width + x)
        })
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_has_cells_noise_and_empty_corners() {
        let made = volume([60, 50, 30], 7);
        assert_eq!(made.raw.len(), 60 * 50 * 30);
        assert_eq!((made.raw[0], made.labels[0]), (0, 0));
        let cells: std::collections::HashSet<u16> = made.labels.iter().copied().collect();
        assert!(cells.len() > 5, "{} labels", cells.len());
        let bright = made.raw.iter().filter(|&&value| value > 60).count();
        assert!(bright > made.raw.len() / 50 && bright < made.raw.len() * 9 / 10, "{bright} bright voxels");
        assert!(made.raw.iter().zip(&made.labels).all(|(&raw, &label)| label == 0 || raw > 0));
    }

    #[test]
    fn the_same_seed_makes_the_same_volume() {
        let (one, two) = (volume([20, 20, 10], 1), volume([20, 20, 10], 1));
        assert!(one.raw == two.raw && one.labels == two.labels);
        assert!(volume([20, 20, 10], 2).raw != one.raw);
    }

    #[test]
    fn half_the_size_rounds_up_and_keeps_only_labels_that_were_there() {
        let made = volume([21, 10, 5], 3);
        let half = made.halved();
        assert_eq!(half.size, [11, 5, 3]);
        assert_eq!(half.raw.len(), 11 * 5 * 3);
        assert!(half.labels.iter().all(|label| made.labels.contains(label)));
        // The pixel at (1, 2, 1) is made from x 2 to 3, y 4 to 5, z 2 to 3.
        let sum: u32 = [2, 3]
            .iter()
            .flat_map(|z| [4, 5].map(|y| (z * 10 + y) * 21 + 2))
            .map(|i| u32::from(made.raw[i]) + u32::from(made.raw[i + 1]))
            .sum();
        assert_eq!(u32::from(half.raw[(5 + 2) * 11 + 1]), (sum + 4) / 8);
    }
}
