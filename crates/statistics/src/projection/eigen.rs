//! Largest eigenvalues of symmetric matrices.

/// Maximum number of Lanczos steps. Matrices up to this size are decomposed completely. For larger ones, the
/// largest eigenvalues converge long before, unless many are nearly equal.
const STEPS: usize = 256;

/// Maximum number of QL iterations per eigenvalue; two or three are usual.
const TURNS: usize = 60;

/// The `count` largest eigenvalues of a symmetric matrix with their eigenvectors of length 1.
///
/// Lanczos' algorithm (1950) with full reorthogonalisation. It restarts if a subspace is exhausted, so that
/// multiple eigenvalues are found. The start vectors depend on the size of the matrix only. Takes `STEPS`·n²
/// steps, at most n³.
pub(super) fn greatest(matrix: &[f64], n: usize, count: usize) -> Vec<(f64, Vec<f64>)> {
    let scale = matrix.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    if n == 0 || scale == 0.0 {
        return Vec::new();
    }
    let small = scale * n as f64 * 1e-13;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut next = fresh(n, &basis);
    while let Some(vector) = next {
        let mut image = times(matrix, &vector);
        diagonal.push(dot(&image, &vector));
        basis.push(vector);
        // Twice is enough (Parlett 1980).
        orthogonalise(&mut image, &basis);
        orthogonalise(&mut image, &basis);
        let length = dot(&image, &image).sqrt();
        if basis.len() >= STEPS.min(n) {
            break;
        }
        next = if length > small {
            beside.push(length);
            Some(image.into_iter().map(|it| it / length).collect())
        } else {
            beside.push(0.0);
            fresh(n, &basis)
        };
    }
    let steps = basis.len();
    beside.resize(steps, 0.0);
    let mut vectors = identity(steps);
    tridiagonal(&mut diagonal, &mut beside, &mut vectors);
    let mut order: Vec<usize> = (0..steps).collect();
    order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]));
    let vector = |at: usize| {
        let mut sum = vec![0.0; n];
        for (step, vector) in basis.iter().enumerate() {
            let weight = vectors[step * steps + at];
            for (sum, value) in sum.iter_mut().zip(vector) {
                *sum += weight * value;
            }
        }
        let length = dot(&sum, &sum).sqrt();
        sum.iter().map(|it| it / length).collect()
    };
    let greatest = order.into_iter().take(count);
    greatest.map(|at| (diagonal[at], vector(at))).collect()
}

/// A vector of length 1 that is orthogonal to the basis; none if the basis is complete. Its entries are
/// pseudo-random, so that it is not orthogonal to an eigenvector by the structure of a matrix.
fn fresh(n: usize, basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let golden = 0.618_033_988_749_894_9;
    (0..=n).find_map(|attempt| {
        let entry = |at: usize| {
            ((at + 1) as f64 * golden * (attempt + basis.len() + 1) as f64).fract() - 0.5
        };
        let mut vector: Vec<f64> = (0..n).map(entry).collect();
        orthogonalise(&mut vector, basis);
        orthogonalise(&mut vector, basis);
        let length = dot(&vector, &vector).sqrt();
        (length > 1e-8).then(|| vector.into_iter().map(|it| it / length).collect())
    })
}

fn orthogonalise(vector: &mut [f64], basis: &[Vec<f64>]) {
    for known in basis {
        let along = dot(vector, known);
        for (value, known) in vector.iter_mut().zip(known) {
            *value -= along * known;
        }
    }
}

fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix
        .chunks(vector.len())
        .map(|row| dot(row, vector))
        .collect()
}

/// Scalar product in four partial sums, always the same ones, which the processor can overlap.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a_parts, b_parts) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_parts
        .remainder()
        .iter()
        .zip(b_parts.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a_parts.zip(b_parts) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn identity(n: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for at in 0..n {
        matrix[at * n + at] = 1.0;
    }
    matrix
}

/// Eigenvalues of a tridiagonal matrix in place of its diagonal, eigenvectors in the columns: the implicit
/// QL iteration (Dubrulle, Martin and Wilkinson 1968; EISPACK's `imtql2`).
fn tridiagonal(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64]) {
    let n = diagonal.len();
    for first in 0..n {
        for _ in 0..TURNS {
            let is_split = |&at: &usize| {
                let around = diagonal[at].abs() + diagonal[at + 1].abs();
                beside[at].abs() <= f64::EPSILON * around
            };
            let last = (first..n - 1).find(is_split).unwrap_or(n - 1);
            if last == first {
                break;
            }
            turn(diagonal, beside, vectors, first, last);
        }
    }
}

/// One turn on the rows from `first` to `last`.
fn turn(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64], first: usize, last: usize) {
    let n = diagonal.len();
    let shift = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
    let root = shift.hypot(1.0);
    let mut g = diagonal[last] - diagonal[first] + beside[first] / (shift + root.copysign(shift));
    let (mut sine, mut cosine, mut carried) = (1.0, 1.0, 0.0);
    for at in (first..last).rev() {
        let left_over = sine * beside[at];
        let below = cosine * beside[at];
        let length = left_over.hypot(g);
        beside[at + 1] = length;
        if length == 0.0 {
            diagonal[at + 1] -= carried;
            beside[last] = 0.0;
            return;
        }
        sine = left_over / length;
        cosine = g / length;
        g = diagonal[at + 1] - carried;
        let sum = (diagonal[at] - g) * sine + 2.0 * cosine * below;
        carried = sine * sum;
        diagonal[at + 1] = g + carried;
        g = cosine * sum - below;
        for row in vectors.chunks_mut(n) {
            let (left, right) = (row[at], row[at + 1]);
            row[at + 1] = sine * left + cosine * right;
            row[at] = cosine * left - sine * right;
        }
    }
    diagonal[first] -= carried;
    beside[first] = g;
    beside[last] = 0.0;
}
