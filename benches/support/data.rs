//! The four kinds of data that the benches measure with, the same on every run and every machine.
//!
//! Each is a function of the voxel's position, so that a block of a volume and a block alone are alike.

use std::f64::consts::TAU;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Electron microscopy: smooth, with membranes and noise; 8 bits.
    Em8,
    /// A light sheet: few counts, bright spots, noise; 16 bits.
    LightSheet16,
    /// Labels: large cells of one number each; 64 bits.
    Labels64,
    /// Smooth with noise; 32-bit floating point.
    Float32,
}

pub(crate) const KINDS: [Kind; 4] = [Kind::Em8, Kind::LightSheet16, Kind::Labels64, Kind::Float32];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Em8 => "em8",
            Self::LightSheet16 => "ls16",
            Self::Labels64 => "lab64",
            Self::Float32 => "f32",
        }
    }

    pub(crate) fn data_type(self) -> &'static str {
        match self {
            Self::Em8 => "uint8",
            Self::LightSheet16 => "uint16",
            Self::Labels64 => "uint64",
            Self::Float32 => "float32",
        }
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::Em8 => 1,
            Self::LightSheet16 => 2,
            Self::Labels64 => 8,
            Self::Float32 => 4,
        }
    }

    /// The box from `origin` on, in C order and native byte order.
    pub(crate) fn array(self, origin: [usize; 3], extents: [usize; 3]) -> Vec<u8> {
        let waves: Vec<Vec<f64>> = (0..3).map(|axis| (0..extents[axis]).map(|at| wave(axis, origin[axis] + at)).collect()).collect();
        let mut bytes = Vec::with_capacity(extents.iter().product::<usize>() * self.size());
        for x in 0..extents[0] {
            for y in 0..extents[1] {
                for z in 0..extents[2] {
                    let position = [origin[0] + x, origin[1] + y, origin[2] + z];
                    let smooth = waves[0][x] * waves[1][y] + waves[2][z];
                    self.push(position, smooth, &mut bytes);
                }
            }
        }
        bytes
    }

    fn push(self, position: [usize; 3], smooth: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::Em8 => {
                let membrane = if (smooth * 8.0).fract().abs() < 0.12 { -45.0 } else { 0.0 };
                let value = 140.0 + 18.0 * smooth + membrane + 14.0 * noise(position);
                bytes.push(value.clamp(0.0, 255.0) as u8);
            }
            Self::LightSheet16 => {
                let light = 800.0 * (smooth - 0.9).max(0.0).powi(2);
                let value = 110.0 + light + (4.0 + light.sqrt()) * noise(position);
                bytes.extend_from_slice(&(value.max(0.0) as u16).to_ne_bytes());
            }
            Self::Labels64 => bytes.extend_from_slice(&label(position).to_ne_bytes()),
            Self::Float32 => {
                let value = 0.5 + 0.2 * smooth + 0.02 * noise(position);
                bytes.extend_from_slice(&(value as f32).to_ne_bytes());
            }
        }
    }
}

fn wave(axis: usize, at: usize) -> f64 {
    let at = at as f64;
    let (long, short) = ([71.0, 53.0, 97.0][axis], [19.0, 23.0, 13.0][axis]);
    (TAU * at / long).sin() + 0.4 * (TAU * at / short).cos()
}

fn hash(position: [usize; 3]) -> u64 {
    let mut state = position
        .iter()
        .fold(0x9e37_79b9_7f4a_7c15_u64, |state, &at| (state ^ at as u64).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29));
    state = (state ^ (state >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    state ^ (state >> 29)
}

/// Nearly normal, of mean 0 and deviation 1: four even numbers of 16 bits added up.
fn noise(position: [usize; 3]) -> f64 {
    let hash = hash(position);
    let sum: u64 = (0..4).map(|part| (hash >> (16 * part)) & 0xffff).sum();
    (sum as f64 / 65536.0 - 2.0) * 3.0_f64.sqrt()
}

/// The number of the cell whose centre is nearest: one centre in each cube of the grid.
fn label(position: [usize; 3]) -> u64 {
    const PITCH: usize = 28;
    let home = position.map(|at| at / PITCH + 1);
    let mut nearest = (usize::MAX, 0);
    for neighbour in 0..27 {
        let cube = [home[0] + neighbour / 9 - 1, home[1] + neighbour / 3 % 3 - 1, home[2] + neighbour % 3 - 1];
        let hash = hash(cube);
        let distance: usize = (0..3)
            .map(|axis| {
                let centre = cube[axis] * PITCH + (hash >> (8 * axis)) as usize % PITCH;
                centre.abs_diff(position[axis] + PITCH).pow(2)
            })
            .sum();
        if distance < nearest.0 {
            nearest = (distance, 1_000_000 + (hash >> 44));
        }
    }
    nearest.1
}
